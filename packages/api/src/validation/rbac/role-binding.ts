/** What RoleBindings and ClusterRoleBindings have in common. */
import { field, validateDns1123Subdomain, validatePathSegmentName } from "@coxswain/machinery";
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "@coxswain/types/rbac-v1";
import { addInvalid, type Errors } from "../checks.ts";

type Binding = RoleBinding | ClusterRoleBinding;

const group = "rbac.authorization.k8s.io";

/** Users and groups are of this group, service accounts of the core group. In place. */
export function defaultBinding(obj: Binding): void {
  if (obj.roleRef !== undefined) obj.roleRef.apiGroup ||= group;
  for (const subject of obj.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
  }
}

export function validateBinding({ roleRef, subjects = [] }: Readonly<Binding>, { namespaced }: { readonly namespaced: boolean }): Errors {
  const out: Errors = [];
  const { apiGroup = "", kind = "", name = "" }: Partial<RoleRef> = roleRef ?? {};
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (apiGroup !== group) out.push(field.notSupported("roleRef.apiGroup", apiGroup, [group]));
  if (!kinds.includes(kind)) out.push(field.notSupported("roleRef.kind", kind, kinds));
  if (name === "") out.push(field.required("roleRef.name"));
  else addInvalid(out, "roleRef.name", name, validatePathSegmentName(name));
  for (const [i, subject] of subjects.entries()) validateSubject(out, `subjects[${i}]`, subject, namespaced);
  return out;
}

const subjectKinds = ["ServiceAccount", "User", "Group"];

function validateSubject(
  out: Errors,
  path: string,
  { kind = "", name = "", namespace = "", apiGroup = "" }: Subject,
  namespaced: boolean,
): void {
  if (name === "") out.push(field.required(`${path}.name`));
  if (!subjectKinds.includes(kind)) return void out.push(field.notSupported(`${path}.kind`, kind, subjectKinds));
  const wanted = kind === "ServiceAccount" ? "" : group;
  if (kind === "ServiceAccount" && name !== "") addInvalid(out, `${path}.name`, name, validateDns1123Subdomain(name));
  if (apiGroup !== wanted) out.push(field.notSupported(`${path}.apiGroup`, apiGroup, [wanted]));
  if (kind === "ServiceAccount" && !namespaced && namespace === "") out.push(field.required(`${path}.namespace`));
}

/** Whoever may bind one role must not turn the binding to another. */
export function validateSameRole({ roleRef }: Readonly<Binding>, prev: Readonly<Binding>): Errors {
  const { apiGroup, kind, name } = prev.roleRef;
  if (roleRef.apiGroup === apiGroup && roleRef.kind === kind && roleRef.name === name) return [];
  const shown = { APIGroup: roleRef.apiGroup ?? "", Kind: roleRef.kind ?? "", Name: roleRef.name ?? "" };
  return [field.invalid("roleRef", shown, "cannot change roleRef")];
}
