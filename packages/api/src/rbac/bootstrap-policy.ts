/**
 * The roles and bindings that a cluster has from the beginning, as Kubernetes 1.36.3 makes them.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
import type { KubeObject } from "@coxswain/machinery";
import type { ClusterRole, RoleBinding } from "@coxswain/types/rbac-v1";

/** A role of the cluster or, without an aggregation rule, of a namespace. */
export type RbacRole = ClusterRole & KubeObject;
/** A binding of the cluster or of a namespace. */
export type RbacBinding = RoleBinding & KubeObject;

/** The objects in the order in which they are made: cluster roles, their bindings, roles, their bindings. */
export async function bootstrapPolicy(): Promise<readonly Readonly<RbacRole | RbacBinding>[]> {
  const { default: policy } = await import("./bootstrap-policy.json", { with: { type: "json" } });
  return policy as unknown as readonly (RbacRole | RbacBinding)[];
}
