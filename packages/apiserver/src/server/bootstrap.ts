/** What every cluster has from its first moment on. */
import { flowSchemas, priorityLevels, systemPriorities } from "@coxswain/api";
import { type Clock, type KubeObject, parseApiVersion, type RandomSource, wireTime } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { ServiceIpRanges } from "../configuration/service-ip-ranges.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import { builtInApiServices } from "../controlplane/api-services.ts";
import { defaultServiceCidr } from "../controlplane/default-service-cidr.ts";
import { kubernetesService } from "../controlplane/kubernetes-service.ts";
import { ipAddressFor } from "../effects/core/service/ip-address.ts";
import { metaOf, prepareNewMeta } from "../registry/metadata.ts";
import { keyOf } from "../storage/served-resource.ts";
import { encodeObject } from "../storage/stored-object.ts";
import { inStorageVersion } from "../storage/versions.ts";

/** Until the server knows on which it listens. */
const usualPort = 6443;
const note = { user: "system:apiserver" };
const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

export interface BootstrapServices {
  readonly store: Store;
  readonly served: Pick<ServedResources, "find">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly serviceIpRanges: ServiceIpRanges;
}

export async function bootstrap(server: BootstrapServices): Promise<void> {
  const { serviceIpRanges } = server;
  const objects: readonly (readonly [string, KubeObject])[] = [
    ...namespaces.map((name) => ["namespaces", namespaceNamed(name)] as const),
    ["servicecidrs", defaultServiceCidr(serviceIpRanges.cidrs, server.clock.now())],
    ...builtInApiServices(server.clock.now()).map((object) => ["apiservices", object] as const),
    ...flowSchemas(wireTime(server.clock.now())).map((object) => ["flowschemas", object] as const),
    ...priorityLevels().map((object) => ["prioritylevelconfigurations", object] as const),
    ...Object.keys(systemPriorities).map((name) => ["priorityclasses", systemPriorityClass(name)] as const),
  ];
  await Promise.all([...objects.map(([resource, object]) => putIfAbsent(server, resource, object)), putService(server)]);
}

/** One that is there already has its address, which may be of other ranges. */
async function putService(server: BootstrapServices): Promise<void> {
  const { store, serviceIpRanges } = server;
  const service = await newEntry(server, "services", kubernetesService(serviceIpRanges, usualPort));
  if (service === undefined) return;
  const named = ipAddressFor(serviceIpRanges.apiServerServiceIp, { namespace: "default", name: "kubernetes" });
  const address = await newEntry(server, "ipaddresses", named);
  await store.write(address === undefined ? service : { ...service, also: [address] }, note);
}

const namespaceNamed = (name: string): KubeObject => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

const systemPriorityClass = (name: string): KubeObject => ({
  kind: "PriorityClass",
  apiVersion: "scheduling.k8s.io/v1",
  metadata: { name, generation: 1 },
  value: systemPriorities[name],
  description:
    name === "system-node-critical"
      ? "For Pods without which their own node does not work; they cannot run elsewhere instead."
      : "For Pods without which the cluster does not work; they may move to another node.",
  preemptionPolicy: "PreemptLowerPriority",
});

async function putIfAbsent(server: BootstrapServices, name: string, object: KubeObject): Promise<void> {
  const put = await newEntry(server, name, object);
  if (put !== undefined) await server.store.write(put, note);
}

/** Undefined where it is there already. */
async function newEntry({ served, store, clock, random }: BootstrapServices, name: string, object: KubeObject) {
  const { group, version } = parseApiVersion(object.apiVersion ?? "") ?? { group: "", version: "" };
  const resource = served.find(group, version, name);
  if (resource === undefined) return undefined;
  const meta = metaOf(object);
  const key = keyOf(resource, meta.namespace ?? "", meta.name ?? "");
  if ((await store.get(key)).entry !== undefined) return undefined;
  prepareNewMeta(meta, clock.now(), random);
  const value = encodeObject(await inStorageVersion(object, resource));
  return { op: "put", key, value, expect: "absent" } as const;
}
