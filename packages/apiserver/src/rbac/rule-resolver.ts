/**
 * Which rules apply to a user, read from the store: for what is asked rarely and wants every rule, as escalation checks and reviews do.
 * Decisions have an index of their own.
 */
import type { rbacV1 } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import { missingRole } from "../authorization/rbac/rbac-index.ts";
import { subjectKeyOf } from "../authorization/rbac/subject.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import { listObjects, type ObjectReader, readObject } from "../storage/object-reader.ts";

const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };

type Binding = (rbacV1.RoleBinding | rbacV1.ClusterRoleBinding) & KubeObject;

export interface ResolvedRules {
  /** By the bindings of the cluster first. */
  readonly rules: readonly rbacV1.PolicyRule[];
  /** Of roles that are bound but are not there. */
  readonly problems: readonly string[];
}

/** The rules that apply to a user in a namespace, or in the cluster where it is empty. */
export async function rulesFor(reader: ObjectReader, user: UserInfo, namespace: string): Promise<ResolvedRules> {
  const rules: rbacV1.PolicyRule[] = [];
  const problems: string[] = [];
  for (const scope of namespace === "" ? [""] : ["", namespace]) {
    const resource = scope === "" ? "clusterrolebindings" : "rolebindings";
    for (const { roleRef, subjects = [] } of await listObjects<Binding>(reader, { ...rbac, resource }, scope)) {
      if (!subjects.some((subject) => isUser(subject, scope, user))) continue;
      const found = await findRules(reader, roleRef, scope);
      if (found === undefined) problems.push(missingRole(roleRef).message);
      else rules.push(...found);
    }
  }
  return { rules, problems };
}

function isUser(subject: Readonly<rbacV1.Subject>, namespace: string, { name, groups }: UserInfo): boolean {
  const key = subjectKeyOf(subject, namespace);
  if (key === undefined) return false;
  return key.kind === "user" ? key.name === name : groups.includes(key.name);
}

/** The rules of the role that a binding of the namespace refers to. @throws StatusError notFound where there is no such role */
export async function rulesOfRole(
  reader: ObjectReader,
  roleRef: Readonly<rbacV1.RoleRef>,
  namespace: string,
): Promise<readonly rbacV1.PolicyRule[]> {
  const rules = await findRules(reader, roleRef, namespace);
  if (rules === undefined) throw missingRole(roleRef);
  return rules;
}

async function findRules(
  reader: ObjectReader,
  { kind, name }: Readonly<rbacV1.RoleRef>,
  namespace: string,
): Promise<readonly rbacV1.PolicyRule[] | undefined> {
  const ofCluster = kind === "ClusterRole";
  const resource = { ...rbac, resource: ofCluster ? "clusterroles" : "roles" };
  const role = await readObject<rbacV1.Role & KubeObject>(reader, resource, ofCluster ? "" : namespace, name);
  return role === undefined ? undefined : (role.rules ?? []);
}
