import { deepEqual, field, isDns1035Label, isDns1123Subdomain } from "@coxswain/machinery";
import { defineKind } from "../../kind.ts";
import { type Errors, immutable, requiredOneOf } from "../../pod/checks.ts";
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from "../../types/apiextensions-v1.ts";
import { validateColumns } from "./columns.ts";
import { validateNames } from "./names.ts";

/**
 * Names, versions and columns; schemas are checked where they are compiled.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export const customResourceDefinition = defineKind<CustomResourceDefinition>({
  type: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
  finalizers: "any",
  unconditionalUpdate: false,
  defaults({ spec }) {
    if (spec?.names === undefined) return;
    const { names } = spec;
    names.singular ||= names.kind?.toLowerCase() ?? "";
    if (names.kind) names.listKind ||= `${names.kind}List`;
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service !== undefined) service.port ??= 443;
  },
  prepareForCreate(obj) {
    obj.status = {};
    noteStorageVersion(obj);
  },
  prepareForUpdate: (next) => noteStorageVersion(next),
  validate: ({ metadata, spec, status }) => {
    const out: Errors = [];
    const name = `${spec?.names?.plural ?? ""}.${spec?.group ?? ""}`;
    if (metadata?.name && metadata.name !== name) {
      out.push(field.invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group'));
    }
    if (spec !== undefined) validateSpec(out, "spec", spec);
    validateNames(out, "status.acceptedNames", status?.acceptedNames ?? { plural: "", kind: "" });
    validateStoredVersions(out, "status.storedVersions", status?.storedVersions ?? [], spec);
    return out;
  },
  validateUpdate: ({ spec: next }, { spec: prev, status }) => {
    const out: Errors = [];
    if (status?.conditions?.some(({ type, status: state }) => type === "Established" && state === "True")) {
      immutable(out, "spec.scope", next?.scope, prev?.scope);
      immutable(out, "spec.names.kind", next?.names?.kind, prev?.names?.kind);
    }
    immutable(out, "spec.group", next?.group, prev?.group);
    immutable(out, "spec.names.plural", next?.names?.plural, prev?.names?.plural);
    return out;
  },
  validateStatusUpdate: ({ spec, status }) => {
    const out: Errors = [];
    validateNames(out, "status.acceptedNames", status?.acceptedNames ?? { plural: "", kind: "" });
    validateStoredVersions(out, "status.storedVersions", status?.storedVersions ?? [], spec);
    return out;
  },
});

/** A version that was once the storage version stays listed until somebody has migrated. */
function noteStorageVersion(obj: CustomResourceDefinition): void {
  const storage = obj.spec?.versions?.find((version) => version.storage)?.name;
  const stored = obj.status?.storedVersions ?? [];
  if (storage !== undefined && !stored.includes(storage)) obj.status = { ...obj.status, storedVersions: [...stored, storage] };
}

function validateSpec(out: Errors, path: string, spec: Readonly<CustomResourceDefinitionSpec>): void {
  validateGroup(out, `${path}.group`, spec.group);
  requiredOneOf(out, `${path}.scope`, spec.scope, ["Cluster", "Namespaced"]);
  const versions = spec.versions ?? [];
  for (const [i, { name, schema }] of versions.entries()) {
    if (schema?.openAPIV3Schema === undefined) out.push(field.required(`${path}.versions[${i}].schema.openAPIV3Schema`));
    const problems = isDns1035Label(name);
    if (problems.length > 0) out.push(field.invalid(`${path}.versions[${i}].name`, name, problems.join(",")));
  }
  // Columns that are the same in all versions are checked, and named, as if they stood outside of them.
  const [first] = versions;
  const shared = versions.every((version) => deepEqual(version.additionalPrinterColumns, first?.additionalPrinterColumns));
  for (const [i, { additionalPrinterColumns = [] }] of versions.entries()) {
    if (!shared || i === 0) validateColumns(out, shared ? path : `${path}.versions[${i}]`, additionalPrinterColumns);
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    out.push(field.invalid(`${path}.versions`, versions, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    out.push(field.invalid(`${path}.versions`, versions, "must have exactly one version marked as storage version"));
  }
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!spec.names?.[name]) out.push(field.required(`${path}.names.${name}`));
  }
  if (spec.names !== undefined) validateNames(out, `${path}.names`, spec.names);
}

function validateGroup(out: Errors, path: string, group: string | undefined): void {
  if (!group) {
    out.push(field.required(path));
    return;
  }
  const problems = isDns1123Subdomain(group);
  if (problems.length > 0) out.push(field.invalid(path, group, problems.join(",")));
  else if (!group.includes(".")) out.push(field.invalid(path, group, "should be a domain with at least one dot"));
}

function validateStoredVersions(
  out: Errors,
  path: string,
  stored: readonly string[],
  spec: CustomResourceDefinitionSpec | undefined,
): void {
  if (stored.length === 0) {
    out.push(field.invalid(path, null, "must have at least one stored version"));
    return;
  }
  const versions = spec?.versions ?? [];
  for (const { name, storage } of versions) {
    if (storage && !stored.includes(name)) out.push(field.invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    out.push(field.invalid(`${path}[${i}]`, name, why));
  }
}
