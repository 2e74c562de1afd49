/**
 * The rules for the metadata of every object.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
import {
  type FieldError,
  field,
  type KubeObject,
  type ObjectMeta,
  validateDns1123Label,
  validatePathSegmentName,
  validatePathSegmentPrefix,
} from "@coxswain/machinery";
import type { MetadataPass, NameRule } from "../../strategy/strategy.ts";
import { validateName, validateNamePrefix } from "./names.ts";
import {
  newFinalizersProblem,
  validateAnnotations,
  validateFinalizerDomains,
  validateFinalizers,
  validateLabels,
  validateManagedFields,
  validateOwnerReferences,
} from "./parts.ts";

/** What of a kind decides how the metadata of its objects is checked. */
export interface MetaRules {
  readonly namespaced: boolean;
  /** Default dns1123Subdomain. */
  readonly name?: NameRule | undefined;
  /** Default: only Kubernetes' own finalizers may lack a domain. */
  readonly finalizers?: "any" | undefined;
}

const noErrors: readonly FieldError[] = [];
const noMeta: Readonly<ObjectMeta> = {};

/** For a new object, after its name was generated. */
export function validateObjectMeta(obj: Readonly<KubeObject>, rules: MetaRules): readonly FieldError[] {
  const meta = obj.metadata ?? noMeta;
  const errors: FieldError[] = [];
  const rule = rules.name ?? "dns1123Subdomain";
  validateNames(
    errors,
    meta,
    (name) => validateName(rule, name),
    (prefix) => validateNamePrefix(rule, prefix),
  );
  validateCommon(errors, meta, rules.namespaced);
  if (meta.finalizers !== undefined && rules.finalizers !== "any") validateFinalizerDomains(errors, meta.finalizers);
  return errors.length === 0 ? noErrors : errors;
}

/**
 * For an object that replaces another. The server has already restored uid, timestamps and generation where the client
 * left them out, and refused a missing resourceVersion where the kind needs one. Names are checked as parts of a path:
 * an old object may have a name that a new one may not, unless its kind checks the whole again.
 */
export function validateObjectMetaUpdate(
  next: Readonly<KubeObject>,
  prev: Readonly<KubeObject>,
  rules: MetaRules,
  passes: readonly MetadataPass[] = ["changes"],
): readonly FieldError[] {
  const meta = next.metadata ?? noMeta;
  const common: FieldError[] = [];
  validateNames(common, meta, validatePathSegmentName, validatePathSegmentPrefix);
  validateCommon(common, meta, rules.namespaced);
  const changes: FieldError[] = [];
  validateChanges(changes, meta, prev.metadata ?? noMeta);
  const domains: FieldError[] = [];
  if (meta.finalizers !== undefined && rules.finalizers !== "any") validateFinalizerDomains(domains, meta.finalizers);
  if (common.length === 0 && changes.length === 0 && domains.length === 0 && !(passes.includes("whole") && isMisnamed(meta, rules)))
    return noErrors;
  validateParts(changes, meta);
  const errors = [...common, ...changes];
  for (const pass of passes) errors.push(...(pass === "whole" ? validateObjectMeta(next, rules) : [...changes, ...domains]));
  return errors;
}

/** Beside its other errors, which are looked for anyway, an object with another's name may have a name that no new one may. */
function isMisnamed({ name = "", generateName }: Readonly<ObjectMeta>, { name: rule = "dns1123Subdomain" }: MetaRules): boolean {
  return validateName(rule, name).length > 0 || (!!generateName && validateNamePrefix(rule, generateName).length > 0);
}

type Check = (value: string) => readonly string[];

function validateNames(errors: FieldError[], meta: Readonly<ObjectMeta>, validateName: Check, validatePrefix: Check): void {
  const { name, generateName } = meta;
  if (generateName)
    for (const problem of validatePrefix(generateName)) errors.push(field.invalid("metadata.generateName", generateName, problem));
  if (!name) errors.push(field.required("metadata.name", "name or generateName is required"));
  else for (const problem of validateName(name)) errors.push(field.invalid("metadata.name", name, problem));
}

function validateCommon(errors: FieldError[], meta: Readonly<ObjectMeta>, namespaced: boolean): void {
  const { namespace = "" } = meta;
  if (!namespaced) {
    if (namespace !== "") errors.push(field.forbidden("metadata.namespace", "not allowed on this type"));
  } else if (namespace === "") errors.push(field.required("metadata.namespace"));
  else for (const problem of validateDns1123Label(namespace)) errors.push(field.invalid("metadata.namespace", namespace, problem));
  if ((meta.generation ?? 0) < 0) errors.push(field.invalid("metadata.generation", meta.generation, "must be greater than or equal to 0"));
  validateParts(errors, meta);
  if (meta.finalizers !== undefined) validateFinalizers(errors, meta.finalizers);
}

function validateParts(errors: FieldError[], meta: Readonly<ObjectMeta>): void {
  if (meta.labels !== undefined) validateLabels(errors, meta.labels, "metadata.labels");
  if (meta.annotations !== undefined) validateAnnotations(errors, meta.annotations, "metadata.annotations");
  if (meta.ownerReferences !== undefined) validateOwnerReferences(errors, meta.ownerReferences);
  if (meta.managedFields !== undefined) validateManagedFields(errors, meta.managedFields);
}

const immutable = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

function validateChanges(errors: FieldError[], next: Readonly<ObjectMeta>, prev: Readonly<ObjectMeta>): void {
  if (prev.deletionTimestamp !== undefined) {
    const problem = newFinalizersProblem(next.finalizers ?? [], prev.finalizers ?? []);
    if (problem !== undefined) errors.push(field.forbidden("metadata.finalizers", problem));
  }
  const generation = next.generation ?? 0;
  if (generation < (prev.generation ?? 0)) errors.push(field.invalid("metadata.generation", generation, "must not be decremented"));
  for (const key of immutable) {
    if (next[key] !== prev[key]) errors.push(field.invalid(`metadata.${key}`, next[key], "field is immutable"));
  }
}
