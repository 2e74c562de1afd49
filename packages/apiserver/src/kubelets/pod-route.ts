/** How bytes get to a Pod: over the network, or through the kubelet of a node that simulates one. */
import type { coreV1 } from "@coxswain/api";
import { goQuote, parseIp, serviceUnavailable } from "@coxswain/machinery";
import { reachOf } from "../http/reach.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import type { Endpoint } from "../webhooks/client-config.ts";
import { isSimulated, kubeletTarget } from "./kubelet-target.ts";
import type { KubeletRequest } from "./kubelets.ts";
import type { PodAddresses } from "./pod-addresses.ts";

/** Undefined for Pods of the network. @throws serviceUnavailable() for a simulated one whose Node is gone */
export async function podRoute(reader: ObjectReader, pod: coreV1.Pod, port: number): Promise<KubeletRequest | undefined> {
  const { nodeName = "" } = pod.spec ?? {};
  if (nodeName === "") return undefined;
  const node = await nodeNamed(reader, nodeName);
  if (node === undefined) {
    if (!wasSimulated(pod)) return undefined;
    throw serviceUnavailable(`error trying to reach service: nodes ${goQuote(nodeName)} not found`);
  }
  if (!isSimulated(node)) return undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const place = [namespace, name, uid].map(encodeURIComponent).join("/");
  return { target: kubeletTarget(node), node: nodeName, path: `/portForward/${place}?port=${port}` };
}

/** Whether a runtime that simulates has run it, also where its Node is gone. */
const wasSimulated = ({ status }: coreV1.Pod): boolean =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ containerID }) => containerID?.startsWith("simulated://") === true,
  );

interface AddressReader extends ObjectReader {
  readonly podAddresses: PodAddresses;
}

/** To the owner of an address that no request has named as a Pod's. */
async function addressRoute(reader: AddressReader, address: string, port: number): Promise<KubeletRequest | undefined> {
  if (parseIp(address) === undefined || reachOf(address) !== "global") return undefined;
  const pods = await reader.podAddresses.podsAt(address);
  const nodes = await Promise.all(pods.map(({ spec }) => nodeNamed(reader, spec?.nodeName ?? "")));
  const found = pods.find((_, at) => nodes[at] !== undefined && isSimulated(nodes[at])) ?? pods.find((_, at) => nodes[at] === undefined);
  return found === undefined ? undefined : await podRoute(reader, found, port);
}

/** To an endpoint of a Service, or whatever a webhook's URL names. */
export async function endpointRoute(reader: AddressReader, { host, port, pod }: Endpoint): Promise<KubeletRequest | undefined> {
  if (pod !== undefined) {
    const found = await readObject<coreV1.Pod>(reader, { group: "", version: "v1", resource: "pods" }, pod.namespace, pod.name);
    if (found !== undefined) return await podRoute(reader, found, port);
  }
  return await addressRoute(reader, host, port);
}

const nodeNamed = (reader: ObjectReader, name: string): Promise<Readonly<coreV1.Node> | undefined> =>
  readObject<coreV1.Node>(reader, { group: "", version: "v1", resource: "nodes" }, "", name);
