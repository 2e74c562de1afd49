/**
 * What a server publishes about itself to other components of its cluster, in ConfigMaps of `kube-system`. Those that serve
 * requests of their own read there which clients to trust: a metrics server, another API server, kube-controller-manager.
 */
import { X509Certificate } from "node:crypto";
import type { KubeObject } from "@coxswain/machinery";
import { certificateBlocks } from "@coxswain/pki";
import type { Revision } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import { metaOf, prepareNewMeta } from "../registry/metadata.ts";
import { keyOf } from "../storage/served-resource.ts";
import { encodeObject, textOf } from "../storage/stored-object.ts";
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
  const published = await publishAuthentication(server, authentication);
  const others = countOthers(published, authentication.clients.bundle);
  if (others > 0) log.warn({ certificates: others }, otherAuthorities);
  let writing: Promise<void> = Promise.resolve();
  const followed = authentication.onChange(() => {
    writing = writing
      .then(() => publishAuthentication(server, authentication))
      .then(() => undefined)
      .catch((error: unknown) => log.error({ error }, "failed to publish the authorities for clients"));
  });
  return {
    async [Symbol.asyncDispose]() {
      followed[Symbol.dispose]();
      await writing;
    },
  };
}

async function publishAuthentication(server: BootstrapServices, { clients, options }: ServerAuthentication): Promise<Data> {
  const since = new Date(server.clock.now()).toISOString().slice(0, 10);
  const data = { "client-ca-file": clients.bundle, ...(options.requestHeader === undefined ? {} : proxyData(options.requestHeader)) };
  const isShared = server.store.freshen !== undefined;
  const merge: Merge = isShared ? (there) => mergeAuthentication(there, data, server.clock.now()) : () => data;
  const published = await put(server, configMap("extension-apiserver-authentication", data), merge);
  // Since when it has been noted which of the old kind of tokens are used: those not used for a year can go.
  await put(server, configMap("kube-apiserver-legacy-service-account-token-tracking", { since }), (there) => there);
  return published;
}

const otherAuthorities =
  "API servers of this state trust authorities for clients that this one does not: what those have signed, and tokens of service accounts, may be good at those servers alone";

/** How many certificates are published that a server itself does not trust. */
function countOthers(published: Data, bundle: string): number {
  const own = new Set(certificateBlocks(bundle));
  return [...certificateBlocks(published["client-ca-file"] ?? "")].filter((certificate) => !own.has(certificate)).length;
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

type Data = ConfigMap["data"];
/** What becomes of the data of one that is there already. */
type Merge = (there: Data) => Data;

/** One that is there already keeps what else it has. What another server writes at the same time is merged with, too. @returns what there is then */
async function put(server: BootstrapServices, wanted: ConfigMap, merge: Merge): Promise<Data> {
  const resource = server.served.find("", "v1", "configmaps");
  if (resource === undefined) return wanted.data;
  const meta = metaOf(wanted);
  const key = keyOf(resource, meta.namespace ?? "", meta.name ?? "");
  const write = (value: Uint8Array, expect: Revision | "absent") =>
    server.store.write({ op: "put", key, value, expect }, { user: "system:apiserver" });
  prepareNewMeta(meta, server.clock.now(), server.random);
  let { entry } = await server.store.get(key);
  for (;;) {
    const there = entry === undefined ? undefined : (JSON.parse(textOf(entry.value)) as ConfigMap);
    const data = there === undefined ? wanted.data : { ...there.data, ...merge(there.data ?? {}) };
    if (there !== undefined && Object.entries(data).every(([name, text]) => there.data?.[name] === text)) return data;
    const result = await write(encodeObject(there === undefined ? wanted : { ...there, data }), entry?.modified ?? "absent");
    if (result.ok) return data;
    entry = result.actual;
  }
}

/**
 * What all servers of a state trust: certificates and names of each, without certificates that have expired.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#extension-apiserver-authenticates-the-request
 */
export function mergeAuthentication(there: Data, own: Data, now: number): Data {
  return Object.fromEntries(
    Object.entries(own).map(([name, text]) => {
      const before = there[name] ?? "";
      return [name, name.endsWith("ca-file") ? mergeCertificates(before, text, now) : mergeNames(before, text)];
    }),
  );
}

function mergeCertificates(before: string, own: string, now: number): string {
  const certificates = new Set([...certificateBlocks(before), ...certificateBlocks(own)]);
  return [...certificates].filter((certificate) => now <= endOf(certificate)).join("");
}

/** Milliseconds since the epoch. One that cannot be read, which somebody else has written, is trusted by nobody. */
function endOf(certificate: string): number {
  try {
    return new X509Certificate(certificate).validToDate.getTime();
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

const mergeNames = (before: string, own: string): string => JSON.stringify([...new Set([...namesIn(before), ...namesIn(own)])]);

/** Names are a list in JSON; what somebody else has written there instead names nobody. */
function namesIn(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
