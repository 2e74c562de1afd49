/** How bytes get to a Pod: over the network, or through the kubelet of a node that simulates one. */
import type { coreV1 } from "@coxswain/api";
import { parseIp } from "@coxswain/machinery";
import type { ServerContext } from "../context.ts";
import { keyOf, prefixOf } from "../registry/served-resource.ts";
import type { Endpoint } from "../webhooks/client-config.ts";
import { isSimulated, kubeletTarget } from "./kubelet-target.ts";
import type { KubeletRequest } from "./kubelets.ts";
import { reachOf } from "./target.ts";

type Reader = Pick<ServerContext, "store" | "cache" | "served">;

/** Undefined for Pods of the network. @throws Error in Go's words for one whose Node is gone: nobody knows what its address is */
export async function podRoute(reader: Reader, pod: coreV1.Pod, port: number): Promise<KubeletRequest | undefined> {
  const { nodeName = "" } = pod.spec ?? {};
  if (nodeName === "") return undefined;
  const node = await nodeNamed(reader, nodeName);
  if (node === undefined) throw new Error(`node ${JSON.stringify(nodeName)} of the Pod is not there`);
  if (!isSimulated(node)) return undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const place = [namespace, name, uid].map(encodeURIComponent).join("/");
  return { target: kubeletTarget(node), node: nodeName, path: `/portForward/${place}?port=${port}` };
}

/** To whoever has an address that nobody has named as a Pod's. */
async function addressRoute(reader: Reader, address: string, port: number): Promise<KubeletRequest | undefined> {
  if (parseIp(address) === undefined || reachOf(address) !== "global") return undefined;
  const nodes = await listed<coreV1.Node>(reader, "nodes");
  const simulated = new Set(nodes.filter(isSimulated).map(({ metadata }) => metadata?.name));
  if (simulated.size === 0) return undefined;
  const pods = await listed<coreV1.Pod>(reader, "pods");
  const found = pods.find(({ spec, status }) => {
    if (!simulated.has(spec?.nodeName) || spec?.hostNetwork === true) return false;
    return status?.podIP === address || status?.podIPs?.some(({ ip }) => ip === address) === true;
  });
  return found === undefined ? undefined : await podRoute(reader, found, port);
}

/** To an endpoint of a Service, or whatever a webhook's URL names. */
export async function endpointRoute(reader: Reader, { host, port, pod }: Endpoint): Promise<KubeletRequest | undefined> {
  const resource = reader.served.find("", "v1", "pods");
  if (pod !== undefined && resource !== undefined) {
    const { entry } = await reader.store.get(keyOf(resource, pod.namespace, pod.name));
    if (entry !== undefined) return await podRoute(reader, reader.cache.objectAt(entry, resource) as coreV1.Pod, port);
  }
  return await addressRoute(reader, host, port);
}

async function nodeNamed({ store, cache, served }: Reader, name: string): Promise<coreV1.Node | undefined> {
  const resource = served.find("", "v1", "nodes");
  if (resource === undefined) return undefined;
  const { entry } = await store.get(keyOf(resource, "", name));
  return entry === undefined ? undefined : (cache.objectAt(entry, resource) as coreV1.Node);
}

async function listed<T>({ store, cache, served }: Reader, plural: string): Promise<readonly T[]> {
  const resource = served.find("", "v1", plural);
  if (resource === undefined) return [];
  const { entries } = await store.list(prefixOf(resource, ""));
  return entries.map((entry) => cache.objectAt(entry, resource) as T);
}
