/** Roles and bindings by what a decision asks for, kept with each change: who is bound in which namespace, to which rules. */
import type { rbacV1 } from "@coxswain/api";
import { notFound, type StatusError } from "@coxswain/machinery";
import { RuleTable } from "./rule-table.ts";
import { describeGrant, type SubjectKey, subjectKeyOf } from "./subject.ts";

/** What a binding gives to one of its subjects. */
interface BoundRole {
  /** As the reason of a decision says it. */
  readonly source: string;
  readonly roleRef: Readonly<rbacV1.RoleRef>;
}

/** What one subject is given in one namespace, or by bindings of the cluster. */
export interface SubjectGrants {
  /** By the binding's name: one that names its subject twice counts once. */
  readonly byBinding: ReadonlyMap<string, BoundRole>;
  /** All its rules, and why some are missing; undefined until it is first needed, and after each change. */
  compiled: CompiledRules | undefined;
}

export interface CompiledRules {
  readonly table: RuleTable;
  /** Of roles that are bound but are not there. */
  readonly problems: readonly string[];
  /** The keys of the roles that it was made of. */
  readonly roles: ReadonlySet<string>;
}

type MutableGrants = SubjectGrants & { readonly byBinding: Map<string, BoundRole> };
type Binding = Readonly<rbacV1.RoleBinding | rbacV1.ClusterRoleBinding>;

/** Stands for the whole cluster where a namespace does. */
const everywhere = "";

/** Who is bound to which rules, as roles and bindings come, change and go. */
export class RbacIndex {
  /** By namespace and name; the namespace of a ClusterRole is `everywhere`. */
  readonly #rules = new Map<string, readonly rbacV1.PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();
  readonly #users = new Map<string, Map<string, MutableGrants>>();
  readonly #groups = new Map<string, Map<string, MutableGrants>>();
  /** Whose rules have been compiled with those of a role, or with its absence. */
  readonly #uses = new Map<string, Set<SubjectGrants>>();

  /** A Role or ClusterRole has come, changed or, where it is undefined, gone. `namespace` is empty for a ClusterRole. */
  setRole(namespace: string, name: string, role: Readonly<rbacV1.Role | rbacV1.ClusterRole> | undefined): void {
    const key = keyOf(namespace, name);
    if (role === undefined) this.#rules.delete(key);
    else this.#rules.set(key, role.rules ?? []);
    for (const subject of [...(this.#uses.get(key) ?? [])]) this.#invalidate(subject);
  }

  /** The same for a RoleBinding or ClusterRoleBinding. */
  setBinding(namespace: string, name: string, binding: Binding | undefined): void {
    const key = keyOf(namespace, name);
    const before = this.#bindings.get(key);
    if (before !== undefined) this.#unbind(namespace, name, before);
    if (binding === undefined) this.#bindings.delete(key);
    else this.#bindings.set(key, binding);
    if (binding !== undefined) this.#bind(namespace, name, binding);
  }

  /** What a user is given by the bindings of a namespace or, where it is empty, by those of the cluster. */
  userGrants(namespace: string, user: string): SubjectGrants | undefined {
    return this.#users.get(namespace)?.get(user);
  }

  /** The same for a group. */
  groupGrants(namespace: string, group: string): SubjectGrants | undefined {
    return this.#groups.get(namespace)?.get(group);
  }

  /** The rules that a binding of the namespace refers to; undefined where there is no such role. */
  rulesOf(roleRef: Readonly<rbacV1.RoleRef>, namespace: string): readonly rbacV1.PolicyRule[] | undefined {
    return this.#rules.get(roleKey(roleRef, namespace));
  }

  /** All rules of a subject in one table. */
  compiled(subject: SubjectGrants, namespace: string): CompiledRules {
    if (subject.compiled !== undefined) return subject.compiled;
    const table = new RuleTable();
    const problems: string[] = [];
    const roles = new Set<string>();
    for (const { source, roleRef } of subject.byBinding.values()) {
      roles.add(roleKey(roleRef, namespace));
      const rules = this.rulesOf(roleRef, namespace);
      if (rules === undefined) problems.push(missingRole(roleRef).message);
      for (const rule of rules ?? []) table.add(rule, source);
    }
    for (const role of roles) obtain(this.#uses, role, () => new Set<SubjectGrants>()).add(subject);
    subject.compiled = { table, problems, roles };
    return subject.compiled;
  }

  #invalidate(subject: SubjectGrants): void {
    for (const role of subject.compiled?.roles ?? []) {
      const users = this.#uses.get(role);
      users?.delete(subject);
      if (users?.size === 0) this.#uses.delete(role);
    }
    subject.compiled = undefined;
  }

  #bind(namespace: string, name: string, { roleRef, subjects = [] }: Binding): void {
    for (const subject of subjects) {
      const key = subjectKeyOf(subject, namespace);
      if (key === undefined) continue;
      const names = obtain(this.#subjects(key), namespace, () => new Map<string, MutableGrants>());
      const grants = obtain(names, key.name, (): MutableGrants => ({ byBinding: new Map(), compiled: undefined }));
      if (grants.byBinding.has(name)) continue;
      grants.byBinding.set(name, { source: describeGrant({ namespace, name }, roleRef, subject), roleRef });
      this.#invalidate(grants);
    }
  }

  #unbind(namespace: string, name: string, { subjects = [] }: Binding): void {
    for (const subject of subjects) {
      const key = subjectKeyOf(subject, namespace);
      if (key === undefined) continue;
      const names = this.#subjects(key).get(namespace);
      const grants = names?.get(key.name);
      if (names === undefined || grants === undefined) continue;
      grants.byBinding.delete(name);
      this.#invalidate(grants);
      if (grants.byBinding.size === 0) names.delete(key.name);
      if (names.size === 0) this.#subjects(key).delete(namespace);
    }
  }

  #subjects({ kind }: SubjectKey): Map<string, Map<string, MutableGrants>> {
    return kind === "user" ? this.#users : this.#groups;
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

const roleKey = ({ kind, name }: Readonly<rbacV1.RoleRef>, namespace: string): string =>
  keyOf(kind === "ClusterRole" ? everywhere : namespace, name);

/** What is said of a role that is bound and not there. */
export const missingRole = ({ kind, name }: Readonly<rbacV1.RoleRef>): StatusError =>
  notFound({ group: "rbac.authorization.k8s.io", resource: kind.toLowerCase() }, name);

function obtain<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
