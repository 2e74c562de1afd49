/** Keeps the index of RBAC as the store is: a change counts before its write is answered. */
import type { rbacV1 } from "@coxswain/api";
import { DisposableStack } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RbacIndex } from "../authorization/rbac/rbac-index.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

interface Followed {
  readonly resource: string;
  readonly set: (index: RbacIndex, at: { readonly namespace: string; readonly name: string }, object: unknown) => void;
}

const setRole: Followed["set"] = (index, { namespace, name }, role) => index.setRole(namespace, name, role as rbacV1.Role | undefined);
const setBinding: Followed["set"] = (index, { namespace, name }, binding) =>
  index.setBinding(namespace, name, binding as rbacV1.RoleBinding | undefined);

const followed: readonly Followed[] = [
  { resource: "clusterroles", set: setRole },
  { resource: "roles", set: setRole },
  { resource: "clusterrolebindings", set: setBinding },
  { resource: "rolebindings", set: setBinding },
];

/** Resolves once the index has what is stored; it follows until it is disposed of. */
export async function followRbac(reader: ObjectReader, index: RbacIndex): Promise<Disposable> {
  const stack = new DisposableStack();
  for (const { resource, set } of followed) {
    const prefix = reader.served.find("rbac.authorization.k8s.io", "v1", resource)?.prefix;
    if (prefix === undefined) continue;
    const put = (entry: Entry): void => set(index, nameOf(entry.key, prefix), reader.cache.objectOf(entry));
    const { entries, revision } = await reader.store.list(prefix);
    for (const entry of entries) put(entry);
    stack.use(
      reader.store.subscribe(prefix, { after: revision }, ({ events }) => {
        for (const event of events) {
          if (event.type === "put") put(event.entry);
          else set(index, nameOf(event.key, prefix), undefined);
        }
      }),
    );
  }
  return stack;
}

/** Keys are `PREFIX NAME` or `PREFIX NAMESPACE/NAME`; names of roles may hold colons, never slashes. */
function nameOf(key: string, prefix: string): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(prefix.length);
  const slash = rest.indexOf("/");
  return slash < 0 ? { namespace: "", name: rest } : { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
