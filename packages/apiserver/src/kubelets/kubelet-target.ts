/** Where the kubelet of a Node is, as its status tells. */
import type { coreV1 } from "@coxswain/api";
import { badRequest, unexplained } from "@coxswain/machinery";
import { reachOf, type Target } from "./target.ts";

/** In the order in which they are tried, as kubeadm sets it up: names of nodes are seldom names of hosts. */
const addressTypes = ["InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS", "Hostname"];
const defaultPort = 10250;

/** @throws StatusError */
export function kubeletTarget({ status }: coreV1.Node): Target {
  const addresses = status?.addresses ?? [];
  const type = addressTypes.find((wanted) => addresses.some((one) => one.type === wanted));
  const found = addresses.find((one) => one.type === type);
  if (found === undefined) throw unexplained("no preferred addresses found; known addresses: []");
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { scheme: "https", host: found.address, port: port > 0 ? port : defaultPort };
}

/** Its proxy reaches a name as it stands, but no address that it must not. @throws badRequest() */
export function checkProxyable({ host }: Target, loopback: boolean): void {
  const reach = /^[\d.]+$|:/.test(host) ? reachOf(host) : "global";
  if (reach === "none" || (reach === "loopback" && !loopback)) throw badRequest("address not allowed");
}
