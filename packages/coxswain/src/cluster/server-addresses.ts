/** Where the server listens, and at which addresses this machine, Pods and others reach it. */
import { createServer } from "node:net";
import type { ApiServer, Log, ServiceIpRanges } from "@coxswain/apiserver";
import { checkAdvertised } from "../access/service-ip-ranges.ts";
import { areNamespaced, type ChosenRuntime } from "../nodes/choose-runtime.ts";
import { hostAddress, hostAddressOf } from "../nodes/host-address.ts";
import type { NetworkPlan } from "../nodes/namespaces/network-plan.ts";
import type { Options } from "../options/cluster-options.ts";
import { isLoopback, isUnspecified } from "../pki/served-names.ts";
import { StartError } from "../process/start-error.ts";

/** At which others know this machine. */
export interface KnownAddresses {
  /** Of the family that Services have by default, as far as there is one. */
  readonly host: string | undefined;
  /** Of the other family; undefined where there is none. */
  readonly otherHost: string | undefined;
}

/** @param plan of the network of nodes, where they have one in which this machine is */
export function knownAddresses(
  { families: [family = "IPv4"] }: Pick<ServiceIpRanges, "families">,
  plan: NetworkPlan | undefined,
): KnownAddresses {
  const addresses =
    plan === undefined ? { IPv4: hostAddressOf("IPv4"), IPv6: hostAddressOf("IPv6") } : { IPv4: plan.gateway, IPv6: plan.gateway6 };
  const host = addresses[family] ?? plan?.gateway ?? hostAddress();
  const otherHost = addresses[family === "IPv4" ? "IPv6" : "IPv4"];
  return { host, otherHost: otherHost === host ? undefined : otherHost };
}

/** In the network of a container, a loopback address is the container's own: the server also listens on the machine's. */
export function addressForPods(
  { address, isReachableFromPods = false, node }: Options,
  runtime: ChosenRuntime | undefined,
  host: string | undefined,
): string | undefined {
  if (!isLoopback(address) || runtime?.kind !== "cri") return undefined;
  // Kubelets with a network of their own have no other way to the server.
  return isReachableFromPods || (node !== undefined && areNamespaced(node)) ? host : undefined;
}

/** Where Pods could ask for names, best first; none where nothing of this machine but what they bring along is to be reached. */
export function dnsAddresses(
  { address }: Pick<Options, "address">,
  podsAddress: string | undefined,
  { host, otherHost }: KnownAddresses,
): readonly string[] {
  const known = (...addresses: readonly (string | undefined)[]) => addresses.filter((one) => one !== undefined);
  if (podsAddress !== undefined) return known(podsAddress, otherHost);
  if (isLoopback(address)) return [];
  return isUnspecified(address) ? known(host, otherHost) : [address];
}

/** Says so when real containers cannot reach the server, because only this machine can. */
export function runtimeText(runtime: ChosenRuntime | undefined, url: string, podsUrl: string | undefined): string | undefined {
  if (runtime === undefined || runtime.kind !== "cri") return runtime?.why;
  if (podsUrl !== undefined) return `${runtime.why}; they reach the server at ${podsUrl}`;
  const { hostname: host } = new URL(url);
  return isLoopback(host.replace(/^\[|\]$/g, ""))
    ? `${runtime.why}; they cannot reach the server, which only this machine can`
    : runtime.why;
}

/**
 * As kube-apiserver's `--advertise-address`: by default the host's where the server listens on any or on none of the others'.
 * @throws StartError for one of another family than Services have by default
 */
export function advertised(
  { address, advertiseAddress: asked }: Pick<Options, "address" | "advertiseAddress">,
  { host }: Pick<KnownAddresses, "host">,
  ranges: ServiceIpRanges,
): { readonly advertiseAddress?: string } {
  const advertiseAddress = asked ?? (isUnspecified(address) || isLoopback(address) ? host : address);
  checkAdvertised(ranges, advertiseAddress);
  return advertiseAddress === undefined ? {} : { advertiseAddress };
}

/** Where clients, and where Pods, reach a server. */
export interface Reached {
  readonly url: string;
  /** For Pods that cannot reach that one; undefined where there is none. */
  readonly podsUrl: string | undefined;
  readonly listensAt: readonly Pick<ListenAt, "address" | "port">[];
}

/** @throws StartError */
export async function listenForAll(
  server: Pick<ApiServer, "listen">,
  { address, port: wanted }: Pick<Options, "address" | "port">,
  { podsAddress, isShared, log }: Pick<ListenAt, "isShared"> & { readonly podsAddress: string | undefined; readonly log: Log },
): Promise<Reached> {
  const url = await listen(server, { address, port: wanted, isShared });
  const port = Number(new URL(url).port);
  const podsUrl = podsAddress === undefined ? undefined : await listenForPods(server, { address: podsAddress, port, isShared }, log);
  const addresses = podsUrl === undefined || podsAddress === undefined ? [address] : [address, podsAddress];
  return { url, podsUrl, listensAt: addresses.map((each) => ({ address: each, port })) };
}

/** That address was not requested: where it is taken, Pods do without. */
async function listenForPods(server: Pick<ApiServer, "listen">, at: ListenAt, log: Log): Promise<string | undefined> {
  try {
    return await listen(server, at);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    log.warn({ address: at.address, port: at.port, error: error.message }, "failed to listen where Pods could reach the server");
    return undefined;
  }
}

interface ListenAt extends Pick<Options, "address" | "port"> {
  /** Other threads of the process listen there, too. */
  readonly isShared: boolean;
}

/** @throws StartError in words for users */
async function listen(server: Pick<ApiServer, "listen">, { address, port, isShared }: ListenAt): Promise<string> {
  try {
    // What may be shared could be another process's, too.
    if (isShared) await checkFree(port, address);
    const bound = await server.listen(port, address, { reusePort: isShared });
    const host = isUnspecified(address) ? "127.0.0.1" : address;
    return `https://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    switch (code) {
      case "EADDRINUSE":
        throw new StartError(`port ${port} on ${address} is in use; choose another with --port (0 takes any free one)`);
      case "EACCES":
        throw new StartError(`port ${port} on ${address} needs more rights than this user has; choose one above 1023 with --port`);
      case "EADDRNOTAVAIL":
        throw new StartError(`${address} is not an address of this machine; choose another with --address`);
      default:
        throw error;
    }
  }
}

/** @throws Error where somebody listens there */
async function checkFree(port: number, address: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve());
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
