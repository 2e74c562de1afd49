/** The rules of a CustomResourceDefinition's spec, in Kubernetes' order. */
import { deepEqual, type FieldError, field, validateDns1035Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { JsonSchema, SchemaCheck } from "@coxswain/schema";
import { checkSchema, conversionProblem, schemaLimitErrors, schemaTolerance } from "@coxswain/schema";
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from "@coxswain/types/apiextensions-v1";
import { type Errors, immutable, requiredOneOf } from "../../../validation/checks.ts";
import { newConversion, toleranceAfter, validateConversion } from "./conversion.ts";
import { validateSubresources } from "./custom-subresources.ts";
import { metaRules } from "./embedded-metadata.ts";
import { validateNames } from "./names.ts";
import { needsStructural, validateDefaultsPruned, validateStrategyPrunes } from "./preserve-unknown.ts";
import { validateColumns } from "./printer-columns.ts";
import { keepsMany, validateSelectableFields } from "./selectable-fields.ts";
import { formOf, goVersions, type Parts, type SpecForm, schemaOf, schemasOf } from "./spec-form.ts";
import { validateDeprecation } from "./versions.ts";

type Spec = Readonly<CustomResourceDefinitionSpec>;

interface Check {
  readonly out: Errors;
  readonly spec: Spec;
  readonly form: SpecForm;
  readonly prev: Readonly<CustomResourceDefinition> | undefined;
  readonly rules: SchemaCheck["rules"];
  readonly mustBeStructural: boolean;
  /** What the definition before was allowed; found out when something is wrong. */
  readonly tolerance: () => Tolerance;
}

type Tolerance = ReturnType<typeof schemaTolerance>;

/** Kubernetes has no bound; each version may cost what a schema costs. */
const maxVersions = 100;

/** With `prev`, what that was already wrong with, in ways that were once allowed, may stay. */
export function validateSpec(out: Errors, spec: Spec, rules: SchemaCheck["rules"], prev?: Readonly<CustomResourceDefinition>): void {
  const tooMuch = boundErrors(spec);
  if (tooMuch.length > 0) {
    out.push(...tooMuch);
    return;
  }
  let known: Tolerance | undefined;
  const tolerance = (): Tolerance => {
    known ??= schemaTolerance(prev === undefined ? [] : schemasOf(prev.spec));
    return known;
  };
  const mustBeStructural = needsStructural(spec, schemasOf(spec));
  const check: Check = { out, spec, form: formOf(spec), prev, rules, mustBeStructural, tolerance };
  validateGroup(out, spec.group);
  requiredOneOf(out, "spec.scope", spec.scope, ["Cluster", "Namespaced"]);
  validateVersions(check);
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!spec.names?.[name]) out.push(field.required(`spec.names.${name}`));
  }
  if (spec.names !== undefined) validateNames(out, "spec.names", spec.names);
  validateShared(check);
  validateStrategyPrunes(out, spec);
  const established = prev !== undefined && isEstablished(prev);
  const conversion = prev === undefined ? newConversion : toleranceAfter(prev.spec?.conversion, established);
  if (spec.conversion !== undefined) validateConversion(out, "spec.conversion", spec.conversion, conversion);
  if (prev !== undefined) validateIdentity(out, spec, prev.spec, established);
}

/** What would take too long to check. A single schema is reported with its own path. */
function boundErrors(spec: Spec): FieldError[] {
  const versions = spec.versions?.length ?? 0;
  if (versions > maxVersions) return [field.tooMany("spec.versions", versions, maxVersions)];
  const schemas = schemasOf(spec);
  return schemas.every((schema) => deepEqual(schema, schemas[0])) ? [] : schemaLimitErrors(schemas, "spec.versions");
}

const isEstablished = ({ status }: Readonly<CustomResourceDefinition>): boolean =>
  status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True") ?? false;

function validateGroup(out: Errors, group: string | undefined): void {
  if (!group) {
    out.push(field.required("spec.group"));
    return;
  }
  const problems = validateDns1123Subdomain(group);
  if (problems.length > 0) out.push(field.invalid("spec.group", group, problems.join(",")));
  else if (!group.includes(".")) out.push(field.invalid("spec.group", group, "should be a domain with at least one dot"));
}

function validateVersions(check: Check): void {
  const { out, spec, form } = check;
  const versions = spec.versions ?? [];
  requireSchemas(check);
  validateDefaultsPruned(out, spec, schemasOf(spec));
  for (const [i, version] of form.versions.entries()) {
    const problems = validateDns1035Label(version.name);
    if (problems.length > 0) out.push(field.invalid(`spec.versions[${i}].name`, version.name, problems.join(",")));
    validateDeprecation(out, `spec.versions[${i}]`, version);
    validateParts(check, version, `spec.versions[${i}]`, version.name);
  }
  const refuse = (why: string) => out.push(field.invalid("spec.versions", spec.versions ? goVersions(form.versions) : null, why));
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse("must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) refuse("must have exactly one version marked as storage version");
  // The first version's name was once a field of its own, and is still checked as such.
  const [first] = versions;
  const problems = first?.name ? validateDns1035Label(first.name) : [];
  if (problems.length > 0) out.push(field.invalid("spec.version", first?.name, problems.join(",")));
}

/** Where an old version has no schema, only those that are served need one. */
function requireSchemas({ out, spec, prev }: Check): void {
  const prunes = spec.preserveUnknownFields !== true;
  const all = prev?.spec?.versions?.every((version) => schemaOf(version) !== undefined) ?? true;
  for (const [i, version] of (spec.versions ?? []).entries()) {
    if (schemaOf(version) !== undefined || !(all || (prunes && version.served))) continue;
    const why = all ? "" : "because otherwise all fields are pruned";
    out.push(field.required(`spec.versions[${i}].schema.openAPIV3Schema`, why));
  }
}

/** What all versions say alike; errors in the schema name `spec.validation`. */
function validateShared(check: Check): void {
  validateParts(check, check.form.shared, "spec", undefined);
}

/** Of one version, or of all where none is named. */
function validateParts(check: Check, parts: Readonly<Parts>, path: string, version: string | undefined): void {
  const { out, spec, prev } = check;
  const schema = schemaOf(parts);
  const schemaPath = version === undefined ? "spec.validation.openAPIV3Schema" : `${path}.schema.openAPIV3Schema`;
  if (schema !== undefined) out.push(...schemaErrors(check, schema, schemaPath, version));
  validateSubresources(out, `${path}.subresources`, parts.subresources);
  validateColumns(out, path, parts.additionalPrinterColumns ?? []);
  const { selectableFields = [] } = parts;
  if (selectableFields.length === 0) return;
  const mayBeMany = prev !== undefined && keepsMany(spec, prev.spec, version);
  const problem = schema === undefined ? undefined : conversionProblem(schema);
  if (problem !== undefined) out.push(field.invalid(`${path}.schema.openAPIV3Schema`, "", problem));
  if (schema !== undefined) validateSelectableFields(out, `${path}.selectableFields`, selectableFields, { schema, mayBeMany });
  else out.push(field.invalid(`${path}.selectableFields`, "", version === undefined ? noSharedSchema : noSchema));
}

/** What was already wrong may stay so, but that costs more to find out than whether anything is wrong. */
function schemaErrors(
  { spec, form, prev, rules, mustBeStructural, tolerance: toleranceBefore }: Check,
  schema: JsonSchema,
  path: string,
  version: string | undefined,
): FieldError[] {
  const check = (tolerance: Tolerance, unchanged: boolean): FieldError[] => {
    const requireStructural = tolerance.requireStructural || mustBeStructural;
    const options = { ...tolerance, requireStructural, meta: metaRules(), unchanged, status: statusIn(form, version) };
    return checkSchema(schema, path, rules === undefined ? options : { ...options, rules });
  };
  const errors = check(schemaTolerance([]), false);
  if (errors.length === 0 || prev === undefined) return errors;
  return check(toleranceBefore(), isUnchanged(spec, prev.spec, version ?? spec.versions?.[0]?.name));
}

const noSharedSchema = "may only be set when validations.schema is included";
// Kubernetes says "not" here.
const noSchema = "may only be set when `version.schema.openAPIV3Schema` is not included";

/** A schema that all versions had alike is compared with that of any version, also of a new one. */
const isUnchanged = (next: Spec, prev: Spec | undefined, version: string | undefined): boolean => {
  const after = next.versions?.find(({ name }) => name === version);
  const shared = prev && formOf(prev).shared.schema;
  if (shared !== undefined) return deepEqual(shared, after?.schema);
  const before = prev?.versions?.find(({ name }) => name === version);
  return before !== undefined && deepEqual(before.schema, after?.schema);
};

/** Whether status is a subresource of the version; of any, where none is named. */
function statusIn({ shared, versions }: SpecForm, version: string | undefined): boolean {
  const own = version === undefined ? versions : versions.filter(({ name }) => name === version).slice(0, 1);
  return [shared, ...own].some(({ subresources }) => subresources?.status !== undefined);
}

function validateIdentity(out: Errors, next: Spec, prev: Spec, established: boolean): void {
  if (established) {
    immutable(out, "spec.scope", next.scope, prev?.scope);
    immutable(out, "spec.names.kind", next.names?.kind, prev?.names?.kind);
  }
  immutable(out, "spec.group", next.group, prev?.group);
  immutable(out, "spec.names.plural", next.names?.plural, prev?.names?.plural);
}
