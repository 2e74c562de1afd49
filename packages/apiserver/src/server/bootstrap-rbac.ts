/** Makes the default roles and bindings, and keeps those that are there in order. */
import { bootstrapPolicy, type RbacBinding, type RbacRole, type rbacV1 } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import { reconcilePolicy } from "../rbac/reconcile-policy.ts";
import { prepareNewMeta } from "../registry/metadata.ts";
import { keyOf } from "../storage/served-resource.ts";
import { encodeObject, type ObjectCache } from "../storage/stored-object.ts";
import { type BootstrapServices, bootstrap } from "./bootstrap.ts";

type RbacObject = RbacRole | RbacBinding;

const note = { user: "system:apiserver" };

interface Services extends BootstrapServices {
  /** The authorizer reads the same objects next. */
  readonly cache: ObjectCache;
}

/** What every cluster has from its first moment on, with its roles. @param roles beside Kubernetes' own */
export async function prepareState(server: Services, roles: readonly RbacObject[] | undefined): Promise<void> {
  await bootstrap(server);
  await bootstrapRbac(server, roles);
}

/** @param more beside Kubernetes' own */
async function bootstrapRbac(server: Services, more: readonly RbacObject[] = []): Promise<void> {
  const policy = Map.groupBy([...(await bootstrapPolicy()), ...more], ({ kind }) => kind);
  await Promise.all(
    ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(async (name) => {
      const resource = server.served.find("rbac.authorization.k8s.io", "v1", name);
      if (resource === undefined) return;
      const { entries } = await server.store.list(resource.prefix);
      const existing = new Map(entries.map((entry) => [entry.key, entry]));
      const wanted = policy.get(resource.definition.kind) ?? [];
      await Promise.all(wanted.map((object) => keep(server, resource, object, existing)));
    }),
  );
}

/** What all nodes may do alike: the ClusterRole `system:node`, whatever has become of it. */
export async function nodeRules(): Promise<readonly rbacV1.PolicyRule[]> {
  const role = (await bootstrapPolicy()).find(({ kind, metadata }) => kind === "ClusterRole" && metadata?.name === "system:node");
  return (role as RbacRole | undefined)?.rules ?? [];
}

/** Another server may write it at the same time: then it is looked at again. */
async function keep(
  { store, cache, clock, random }: Services,
  resource: ServedResource,
  wanted: Readonly<RbacObject>,
  existing: ReadonlyMap<string, Entry>,
): Promise<void> {
  const { name = "", namespace = "" } = wanted.metadata ?? {};
  const key = keyOf(resource, namespace, name);
  let entry = existing.get(key);
  for (;;) {
    const reconciled = entry === undefined ? undefined : reconcilePolicy(cache.objectOf(entry) as RbacObject, wanted);
    if (reconciled?.action === "none") return;
    const object = reconciled?.action === "update" ? reconciled.object : createdNow(wanted, { clock, random });
    const result = await store.write({ op: "put", key, value: encodeObject(object), expect: entry?.modified ?? "absent" }, note);
    if (result.ok) return;
    entry = result.actual;
  }
}

function createdNow(wanted: Readonly<RbacObject>, { clock, random }: Pick<BootstrapServices, "clock" | "random">): KubeObject {
  const metadata = { ...wanted.metadata };
  prepareNewMeta(metadata, clock.now(), random);
  return { ...wanted, metadata };
}
