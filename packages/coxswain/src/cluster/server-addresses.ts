/** Where the server listens, and at which addresses this machine, Pods and others reach it. */
import type { ApiServer, Log } from "@coxswain/apiserver";
import { areNamespaced, type ChosenRuntime } from "../nodes/choose-runtime.ts";
import type { Options } from "../options/cluster-options.ts";
import { isLoopback, isUnspecified } from "../pki/served-names.ts";
import { StartError } from "../process/start-error.ts";

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

/** Where Pods could ask for names; undefined where nothing of this machine but what they bring along is to be reached. */
export function dnsAddress({ address }: Options, podsAddress: string | undefined, host: string | undefined): string | undefined {
  if (podsAddress !== undefined) return podsAddress;
  if (isLoopback(address)) return undefined;
  return isUnspecified(address) ? host : address;
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

/** As kube-apiserver's `--advertise-address`: by default the host's where the server listens on any or on none of the others'. */
export function advertised(
  { address, advertiseAddress: asked }: Pick<Options, "address" | "advertiseAddress">,
  host: string | undefined,
): { readonly advertiseAddress?: string } {
  const advertiseAddress = asked ?? (isUnspecified(address) || isLoopback(address) ? host : address);
  return advertiseAddress === undefined ? {} : { advertiseAddress };
}

/** That address was not requested: where it is taken, Pods do without. */
export async function listenForPods(server: ApiServer, at: Pick<Options, "address" | "port">, log: Log): Promise<string | undefined> {
  try {
    return await listen(server, at);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    log.warn({ address: at.address, port: at.port, error: error.message }, "failed to listen where Pods could reach the server");
    return undefined;
  }
}

export async function listen(server: ApiServer, { address, port }: Pick<Options, "address" | "port">): Promise<string> {
  try {
    const bound = await server.listen(port, address);
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
