/** Where the kubelet of a Node is, as its status says. */
import type { coreV1 } from "@coxswain/api";
import { unexplained } from "@coxswain/machinery";
import type { Target } from "./target.ts";

/** In the order in which they are tried, as kubeadm sets it up: names of nodes are seldom names of hosts. */
const addressTypes = ["InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS", "Hostname"];
const defaultPort = 10250;

export interface KubeletTarget extends Target {
  /** Whether a server listens there: the kubelet of a simulated node without a port is only known to its own process. */
  readonly listens: boolean;
}

/** @throws StatusError */
export function kubeletTarget(node: coreV1.Node): KubeletTarget {
  const { status } = node;
  const addresses = status?.addresses ?? [];
  const type = addressTypes.find((wanted) => addresses.some((one) => one.type === wanted));
  const found = addresses.find((one) => one.type === type);
  if (found === undefined) throw unexplained("no preferred addresses found; known addresses: []");
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { scheme: "https", host: found.address, port: port > 0 ? port : defaultPort, listens: port > 0 || !isSimulated(node) };
}

/** Addresses of its Pods, and its own but for the kubelet's port, are those of no network: only its kubelet knows what is there. */
export const isSimulated = ({ status }: coreV1.Node): boolean =>
  status?.nodeInfo?.containerRuntimeVersion?.startsWith("simulated://") === true;
