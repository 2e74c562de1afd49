/** What may be asked in a SubjectAccessReview and its like. */
import { type FieldError, field, type KubeObject, type ObjectMeta, validateLabelValue, validateQualifiedName } from "@coxswain/machinery";
import type { WrittenRequirement } from "../../authorization/read-selector.ts";

export interface AccessSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

type Attribute = "namespace" | "verb" | "group" | "version" | "resource" | "subresource" | "name";

interface ResourceAttributes extends Readonly<Partial<Record<Attribute, string>>> {
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
}

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly WrittenRequirement[];
}

/** The subject of a review: any user, any user in one namespace, or the client itself. */
export type Scope = "subject" | "local" | "self";

export function validateAccessReview(review: Readonly<KubeObject>, scope: Scope): FieldError[] {
  const spec = (review.spec ?? {}) as AccessSpec;
  const { resourceAttributes: resource, nonResourceAttributes: path, user = "", groups = [] } = spec;
  const out: FieldError[] = [];
  const refusePath = (why: string) => out.push(field.invalid("spec.nonResourceAttributes", shownPath(path ?? {}), why));
  if (resource !== undefined && path !== undefined) refusePath("cannot be specified in combination with resourceAttributes");
  if (resource === undefined && path === undefined) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    out.push(field.invalid("spec.resourceAttributes", null, why));
  }
  if (scope !== "self" && user === "" && groups.length === 0) {
    out.push(field.invalid("spec.user", user, "at least one of user or group must be specified"));
  }
  for (const name of ["fieldSelector", "labelSelector"] as const) validateSelector(out, name, resource?.[name]);
  validateMetadata(out, review.metadata ?? {}, scope);
  if (scope !== "local") return out;
  if (resource !== undefined && (resource.namespace ?? "") !== review.metadata?.namespace) {
    out.push(field.invalid("spec.resourceAttributes.namespace", resource.namespace ?? "", "must match metadata.namespace"));
  }
  if (path !== undefined) refusePath("disallowed on this kind of request");
  return out;
}

/** As Kubernetes shows it in errors: its own form. */
const shownPath = ({ path = "", verb = "" }: NonNullable<AccessSpec["nonResourceAttributes"]>) => ({ Path: path, Verb: verb });

function validateMetadata(out: FieldError[], metadata: Readonly<ObjectMeta>, scope: Scope): void {
  const { managedFields: _, namespace, creationTimestamp: __, ...others } = metadata;
  const given = Object.keys(others).length > 0 || (scope !== "local" && namespace !== undefined);
  if (given) out.push(field.invalid("metadata", metadata, scope === "local" ? "must be empty except for namespace" : "must be empty"));
}

/** Unknown operators are let through: a newer client may know them. */
function validateSelector(out: FieldError[], name: "fieldSelector" | "labelSelector", selector: SelectorAttributes | undefined): void {
  if (selector === undefined) return;
  const path = `spec.resourceAttributes.${name}`;
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector !== "" && requirements.length > 0) {
    out.push(field.invalid(`${path}.rawSelector`, rawSelector, "may not specified at the same time as requirements"));
  }
  if (rawSelector === "" && requirements.length === 0) {
    out.push(field.required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`));
  }
  for (const [i, { key = "", operator = "", values = [] }] of requirements.entries()) {
    const at = `${path}.requirements[${i}]`;
    if (name === "fieldSelector" && key === "") out.push(field.required(`${at}.key`, "must be specified"));
    if ((operator === "In" || operator === "NotIn") && values.length === 0) {
      out.push(field.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
    if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
      out.push(field.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
    if (name === "fieldSelector") continue;
    for (const problem of validateQualifiedName(key)) out.push(field.invalid(`${at}.key`, key, problem));
    for (const [n, value] of values.entries())
      for (const problem of validateLabelValue(value)) out.push(field.invalid(`${at}.values[${n}]`, value, problem));
  }
}
