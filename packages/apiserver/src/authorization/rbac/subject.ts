/** The subjects of a binding, by the names that authentication knows. */
import type { rbacV1 } from "@coxswain/api";
import { goQuote } from "@coxswain/machinery";

export interface SubjectKey {
  readonly kind: "user" | "group";
  readonly name: string;
}

/** Undefined for one that no user can be: a ServiceAccount without a namespace, or a kind that is none of the three. */
export function subjectKeyOf(
  { kind, name, namespace: own = "" }: Readonly<rbacV1.Subject>,
  bindingNamespace: string,
): SubjectKey | undefined {
  if (kind === "User") return { kind: "user", name };
  if (kind === "Group") return { kind: "group", name };
  const namespace = own === "" ? bindingNamespace : own;
  if (kind !== "ServiceAccount" || namespace === "") return undefined;
  return { kind: "user", name: `system:serviceaccount:${namespace}:${name}` };
}

/** What a decision gives as its reason: `RoleBinding "read/default" of Role "reader" to User "jane"`. */
export function describeGrant(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  role: Readonly<rbacV1.RoleRef>,
  subject: Readonly<rbacV1.Subject>,
): string {
  const binding = namespace === "" ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  return `${binding} of ${role.kind} ${goQuote(role.name)} to ${subject.kind} ${goQuote(nameOf(subject, namespace))}`;
}

const nameOf = ({ kind, name, namespace = "" }: Readonly<rbacV1.Subject>, bindingNamespace: string): string =>
  kind === "ServiceAccount" ? `${name}/${namespace === "" ? bindingNamespace : namespace}` : name;
