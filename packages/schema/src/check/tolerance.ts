/**
 * Rules that came later than some objects: an update has to keep them only where the object before did. So whoever does
 * not touch what is wrong can still change the rest.
 */
import type { JsonSchema } from "../structural/schema.ts";
import type { SchemaTolerance } from "./check-schema.ts";
import { conversionProblem } from "./conversion.ts";
import { hasUnprunedDefaults } from "./defaults.ts";
import { mapListErrors, setErrors } from "./extensions.ts";
import { limitErrors } from "./limits.ts";
import { schemaTypes } from "./open-api.ts";
import { someSchema } from "./parts.ts";
import { structuralErrors } from "./structural.ts";

/** What a new version's schema has to keep, given all schemas of the object before; none for a new object. */
export function schemaTolerance(before: readonly JsonSchema[]): Omit<SchemaTolerance, "unchanged"> {
  const every = (holds: (schema: JsonSchema) => boolean) => before.every((schema) => limitErrors([schema], "").length > 0 || holds(schema));
  const nowhere = (wrong: (schema: JsonSchema) => boolean) => every((schema) => !someSchema(schema, wrong));
  return {
    requireStructural: every(isStructural),
    requireValidTypes: nowhere(({ type }) => Boolean(type) && !schemaTypes.includes(type ?? "")),
    requirePrunedDefaults: every((schema) => !isStructural(schema) || !hasUnprunedDefaults(schema)),
    requireAtomicSets: nowhere((schema) => setErrors(schema, "").length > 0),
    requireMapListKeys: nowhere((schema) => mapListErrors(schema, "").length > 0),
  };
}

const isStructural = (schema: JsonSchema): boolean => conversionProblem(schema) === undefined && structuralErrors(schema, "").length === 0;
