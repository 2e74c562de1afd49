import { field } from "@coxswain/machinery";
import type { JsonSchema } from "@coxswain/schema";
import { findField } from "@coxswain/schema";
import type { CustomResourceDefinitionSpec, SelectableField } from "@coxswain/types/apiextensions-v1";
import type { Errors } from "../../../validation/checks.ts";
import { formOf } from "./spec-form.ts";

const maxSelectableFields = 8;
const selectableTypes = ["string", "boolean", "integer"];

/** Fields by which lists can be filtered: scalars that the schema declares. */
export function validateSelectableFields(
  out: Errors,
  path: string,
  fields: readonly SelectableField[],
  { schema, mayBeMany }: { readonly schema: JsonSchema; readonly mayBeMany: boolean },
): void {
  const known = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = `${path}[${i}].jsonPath`;
    const found = jsonPath ? findField(jsonPath, schema, { brackets: false }) : undefined;
    if (found === undefined) out.push(field.required(at));
    else if (typeof found === "string") out.push(field.invalid(at, jsonPath, `is an invalid path: ${found}`));
    else {
      if (found.root === "metadata") out.push(field.invalid(at, jsonPath, "must not point to fields in metadata"));
      if (!selectableTypes.includes(found.schema?.type ?? "")) out.push(field.invalid(at, jsonPath, wrongType));
      if (known.has(found.path)) out.push(field.duplicate(at, jsonPath));
      known.add(found.path);
    }
  }
  if (known.size > maxSelectableFields && !mayBeMany) out.push(field.tooMany(path, known.size, maxSelectableFields));
}

const wrongType = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

/** Whether more fields than allowed were there before, and are the same: of one version, or of all where none is named. */
export function keepsMany(
  next: Readonly<CustomResourceDefinitionSpec>,
  prev: Readonly<CustomResourceDefinitionSpec>,
  version?: string,
): boolean {
  const [after, before] = [next, prev].map((spec) => {
    const { shared, versions } = formOf(spec);
    const { selectableFields = [] } = version === undefined ? shared : (versions.find(({ name }) => name === version) ?? {});
    return selectableFields.map(({ jsonPath }) => jsonPath);
  });
  return before !== undefined && before.length > maxSelectableFields && before.join("\n") === after?.join("\n");
}
