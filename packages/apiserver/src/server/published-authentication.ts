/**
 * What a server publishes about itself to other components of its cluster, in ConfigMaps of `kube-system`. Those that serve
 * requests of their own read there which clients to trust: a metrics server, another API server, kube-controller-manager.
 */
import type { KubeObject } from "@coxswain/machinery";
import type { Log } from "../contracts/log.ts";
import { metaOf, prepareNewMeta } from "../registry/metadata.ts";
import { keyOf } from "../storage/served-resource.ts";
import { encodeObject } from "../storage/stored-object.ts";
import type { BootstrapServices } from "./bootstrap.ts";
import type { ProxyOptions, ServerAuthentication } from "./create-authentication.ts";

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

/** Again after each change of the authorities, until disposed of; that settles once what is under way is written. */
export async function followAuthentication(
  server: BootstrapServices,
  authentication: ServerAuthentication,
  log: Log,
): Promise<AsyncDisposable> {
  await publishAuthentication(server, authentication);
  let writing: Promise<void> = Promise.resolve();
  const followed = authentication.onChange(() => {
    writing = writing
      .then(() => publishAuthentication(server, authentication))
      .catch((error: unknown) => log.error({ error }, "failed to publish the authorities for clients"));
  });
  return {
    async [Symbol.asyncDispose]() {
      followed[Symbol.dispose]();
      await writing;
    },
  };
}

async function publishAuthentication(server: BootstrapServices, { clients, options }: ServerAuthentication): Promise<void> {
  const since = new Date(server.clock.now()).toISOString().slice(0, 10);
  const data = { "client-ca-file": clients.bundle, ...(options.requestHeader === undefined ? {} : proxyData(options.requestHeader)) };
  await put(server, configMap("extension-apiserver-authentication", data), "replace");
  // Since when it has been noted which of the old kind of tokens are used: those not used for a year can go.
  await put(server, configMap("kube-apiserver-legacy-service-account-token-tracking", { since }), "keep");
}

const proxyData = (proxy: ProxyOptions): ConfigMap["data"] => ({
  "requestheader-allowed-names": JSON.stringify(proxy.allowedNames),
  "requestheader-client-ca-file": proxy.clientAuthorities.current,
  "requestheader-extra-headers-prefix": JSON.stringify(proxy.extraHeaderPrefixes),
  "requestheader-group-headers": JSON.stringify(proxy.groupHeaders),
  "requestheader-uid-headers": JSON.stringify(proxy.uidHeaders),
  "requestheader-username-headers": JSON.stringify(proxy.usernameHeaders),
});

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
  if (ifThere === "keep" || Object.entries(wanted.data).every(([name, text]) => there.data[name] === text)) return;
  const value = encodeObject({ ...there, data: { ...there.data, ...wanted.data } });
  await server.store.write({ op: "put", key, value, expect: entry.modified }, note);
}
