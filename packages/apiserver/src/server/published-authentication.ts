/**
 * What a server publishes about itself to other components of its cluster, in ConfigMaps of `kube-system`. Those that serve
 * requests of their own read there which clients to trust: a metrics server, another API server, kube-controller-manager.
 */
import type { KubeObject } from "@coxswain/machinery";
import { metaOf, prepareNewMeta } from "../registry/metadata.ts";
import { keyOf } from "../storage/served-resource.ts";
import { encodeObject } from "../storage/stored-object.ts";
import type { BootstrapServices } from "./bootstrap.ts";

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

/** `clientAuthority` in PEM: who is known by a certificate that it has signed. */
export async function publishAuthentication(server: BootstrapServices, clientAuthority: string): Promise<void> {
  const since = new Date(server.clock.now()).toISOString().slice(0, 10);
  await put(server, configMap("extension-apiserver-authentication", { "client-ca-file": clientAuthority }), "replace");
  // Since when it has been noted which of the old kind of tokens are used: those not used for a year can go.
  await put(server, configMap("kube-apiserver-legacy-service-account-token-tracking", { since }), "keep");
}

const configMap = (name: string, data: ConfigMap["data"]): ConfigMap => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "kube-system" },
  data,
});

/** One that is there already keeps what it has, but for the data where they are to be replaced. */
async function put(server: BootstrapServices, wanted: ConfigMap, ifThere: "replace" | "keep"): Promise<void> {
  const resource = server.served.find("", "v1", "configmaps");
  if (resource === undefined) return;
  const meta = metaOf(wanted);
  const key = keyOf(resource, meta.namespace ?? "", meta.name ?? "");
  const { entry } = await server.store.get(key);
  const note = { user: "system:apiserver" };
  if (entry === undefined) {
    prepareNewMeta(meta, server.clock.now(), server.random);
    await server.store.write({ op: "put", key, value: encodeObject(wanted), expect: "absent" }, note);
    return;
  }
  const there = JSON.parse(Buffer.from(entry.value).toString()) as ConfigMap;
  const [name = ""] = Object.keys(wanted.data);
  if (ifThere === "keep" || there.data[name] === wanted.data[name]) return;
  const value = encodeObject({ ...there, data: { ...there.data, ...wanted.data } });
  await server.store.write({ op: "put", key, value, expect: entry.modified }, note);
}
