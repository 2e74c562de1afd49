/** Keeps the index of RBAC as the store is: a change counts before its write is answered. */
import type { rbacV1 } from "@coxswain/api";
import { DisposableStack, type KubeObject } from "@coxswain/machinery";
import type { RbacIndex } from "../authorization/rbac/rbac-index.ts";
import { followResource } from "../storage/follow-resource.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

const rbac = (resource: string) => ({ group: "rbac.authorization.k8s.io", version: "v1", resource });

/** Resolves once the index has what is stored; it follows until it is disposed of. */
export async function followRbac(reader: ObjectReader, index: RbacIndex): Promise<Disposable> {
  const stack = new DisposableStack();
  for (const resource of ["clusterroles", "roles"])
    stack.use(
      await followResource<rbacV1.Role & KubeObject>(reader, rbac(resource), ({ namespace, name }, role) =>
        index.setRole(namespace, name, role),
      ),
    );
  for (const resource of ["clusterrolebindings", "rolebindings"])
    stack.use(
      await followResource<rbacV1.RoleBinding & KubeObject>(reader, rbac(resource), ({ namespace, name }, binding) =>
        index.setBinding(namespace, name, binding),
      ),
    );
  return stack;
}
