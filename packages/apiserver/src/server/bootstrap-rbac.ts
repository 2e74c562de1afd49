/** Makes the default roles and bindings, and keeps those that are there in order. */
import { bootstrapPolicy, type RbacBinding, type RbacRole } from "@coxswain/api";
import { type KubeObject, parseJson } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import { reconcilePolicy } from "../rbac/reconcile-policy.ts";
import { metaOf, prepareNewMeta } from "../registry/metadata.ts";
import { keyOf } from "../storage/served-resource.ts";
import { encodeObject } from "../storage/stored-object.ts";
import type { BootstrapServices } from "./bootstrap.ts";

const group = "rbac.authorization.k8s.io";
const note = { user: "system:apiserver" };

export async function bootstrapRbac(server: BootstrapServices): Promise<void> {
  const resources = new Map(
    ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].flatMap((name) => {
      const resource = server.served.find(group, "v1", name);
      return resource === undefined ? [] : [[resource.definition.kind, resource]];
    }),
  );
  const policy = await bootstrapPolicy();
  await Promise.all(
    policy.map((object) => {
      const resource = resources.get(object.kind ?? "");
      return resource === undefined ? undefined : keep(server, resource, object);
    }),
  );
}

/** Another server may write it at the same time: then it is looked at again. */
async function keep(server: BootstrapServices, resource: ServedResource, wanted: RbacRole | RbacBinding): Promise<void> {
  const { name = "", namespace = "" } = metaOf(wanted);
  const key = keyOf(resource, namespace, name);
  for (;;) {
    const { entry } = await server.store.get(key);
    const reconciled = entry === undefined ? undefined : reconcilePolicy(parseJson(entry.value) as RbacRole | RbacBinding, wanted);
    if (reconciled?.action === "none") return;
    const object: KubeObject = reconciled?.action === "update" ? reconciled.object : structuredClone(wanted);
    if (reconciled?.action !== "update") prepareNewMeta(metaOf(object), server.clock.now(), server.random);
    const expect = entry?.modified ?? "absent";
    if ((await server.store.write({ op: "put", key, value: encodeObject(object), expect }, note)).ok) return;
  }
}
