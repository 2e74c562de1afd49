/** Whether the schema of a version of a CustomResourceDefinition can be accepted: all rules, in Kubernetes' order. */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { conversionProblem } from "./conversion.ts";
import type { MetaRules } from "./default-meta.ts";
import { defaultErrors } from "./defaults.ts";
import { goNamesOf, goSchema } from "./go-form.ts";
import { limitErrors, maxErrors } from "./limits.ts";
import { type OpenApiOptions, openApiErrors } from "./open-api.ts";
import { type DefaultRules, type RuleChecker, type RuleCosts, totalCostErrors } from "./rule-checker.ts";
import { structuralErrors } from "./structural.ts";

/** What an object that was accepted long ago, by milder rules, may keep doing. */
export interface SchemaTolerance {
  readonly requireStructural: boolean;
  readonly requireValidTypes: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapListKeys: boolean;
  /** The schema was there before: what its rules cost is accepted. */
  readonly unchanged: boolean;
}

/** How `checkSchema` checks a schema: what it tolerates, whether status is a subresource, and who checks its rules. */
export interface SchemaCheck extends SchemaTolerance {
  /** Whether status is a subresource. */
  readonly status: boolean;
  readonly meta: MetaRules;
  readonly rules?: { readonly check: RuleChecker; readonly onDefault: DefaultRules };
}

/** `path` is that of the whole, up to and with `openAPIV3Schema`. */
export function checkSchema(schema: JsonSchema, path: string, check: SchemaCheck): FieldError[] {
  const tooMuch = limitErrors([schema], path);
  if (tooMuch.length > 0) return tooMuch;
  const out = rootErrors(schema, path, check.status);
  const structural = check.requireStructural ? formErrors(schema, path, check) : undefined;
  if (structural?.converts === true) out.push(...structural.errors);
  const rules = structural?.converts && structural.errors.length === 0 ? check.rules?.check : undefined;
  out.push(...withRules(schema, path, check, rules));
  // What makes a conversion fail has been reported more exactly, but for a few reasons that nothing else finds.
  if (out.length === 0 && structural?.converts === false) out.push(...structural.errors);
  return out.slice(0, maxErrors);
}

type Form = { readonly converts: boolean; readonly errors: readonly FieldError[] };

function formErrors(schema: JsonSchema, path: string, { requirePrunedDefaults, meta, rules }: SchemaCheck): Form {
  const problem = conversionProblem(schema);
  if (problem !== undefined) return { converts: false, errors: [field.invalid(path, "", problem)] };
  const errors = structuralErrors(schema, path);
  if (errors.length > 0) return { converts: true, errors };
  const check = { requirePruned: requirePrunedDefaults, meta, ...(rules === undefined ? {} : { rules: rules.onDefault }) };
  return { converts: true, errors: defaultErrors(schema, path, check) };
}

function withRules(schema: JsonSchema, path: string, check: SchemaCheck, rules: RuleChecker | undefined): FieldError[] {
  const { requireValidTypes, requireAtomicSets, requireMapListKeys, unchanged } = check;
  const options: OpenApiOptions = { requireValidTypes, requireAtomicSets, requireMapListKeys };
  if (rules === undefined) return openApiErrors(schema, path, options);
  const costs: RuleCosts = { total: 0, expensive: [] };
  const errors = openApiErrors(schema, path, { ...options, rules: { check: rules, costs, unchanged } });
  return [...errors, ...totalCostErrors(costs, path)];
}

const rootFields =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";

/** The schema of status is cut out of the whole, so the rest may say nothing about it. */
function rootErrors(schema: JsonSchema, path: string, status: boolean): FieldError[] {
  const out: FieldError[] = [];
  const bad = status ? badRootName(schema) : undefined;
  if (bad === "Type") {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    out.push(field.invalid(`${path}.type`, schema.type, why));
  } else if (bad !== undefined) {
    const why = `only [${rootFields}] fields are allowed at the root of the schema if the status subresource is enabled`;
    out.push(field.invalid(path, goSchema(schema), why));
  }
  if (schema.nullable) out.push(field.forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  return out;
}

function badRootName(schema: JsonSchema): string | undefined {
  const allowed = rootFields.split(" ");
  for (const name of goNamesOf(schema)) {
    if (name === "Type" ? schema.type !== "object" : !allowed.includes(name)) return name;
  }
  return undefined;
}
