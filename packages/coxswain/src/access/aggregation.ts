/** The way to extension servers as the options want it: the files that they name, read and followed. */
import type { AggregationOptions, ContentProvider, Log, ProxyClientPair, ServiceRouting } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock } from "@coxswain/machinery";
import type { AggregationSettings } from "../options/aggregation-options.ts";
import { certificateOf } from "../pki/certificates.ts";
import { followFile } from "../process/follow-file.ts";
import { StartError } from "../process/start-error.ts";
import { FollowedValue } from "./followed-value.ts";

interface Surroundings {
  /** By what extension servers know the server where the options name nothing else. */
  readonly proxyClient?: ContentProvider<ProxyClientPair>;
  /** Whether extension servers may have addresses of this machine alone. */
  readonly loopback: boolean;
  /** Whether something leads from cluster IPs to Pods in the network of the server: those of several nodes have networks of their own. */
  readonly hasClusterIps: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Follows its files until it is disposed of. */
export interface OpenAggregation extends AsyncDisposable {
  readonly server: { readonly aggregation: AggregationOptions; readonly serviceRouting: ServiceRouting };
}

/** @throws StartError for files that cannot be used */
export async function openAggregation(
  { proxyClient: files, forwardRedirects = false, routesToEndpoints }: Partial<AggregationSettings> = {},
  { proxyClient, loopback, hasClusterIps, clock, log }: Surroundings,
): Promise<OpenAggregation> {
  await using stack = new AsyncDisposableStack();
  const own = files === undefined ? proxyClient : await followPair(files, { clock, log, stack });
  const owned = stack.move();
  const aggregation = { proxyClient: own, forwardRedirects, loopback };
  const serviceRouting = serviceRoutingOf(routesToEndpoints, hasClusterIps);
  return { server: { aggregation, serviceRouting }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function serviceRoutingOf(routesToEndpoints: boolean | undefined, hasClusterIps: boolean): ServiceRouting {
  if (routesToEndpoints !== undefined) return routesToEndpoints ? "endpoint" : "cluster-ip";
  return hasClusterIps ? "cluster-ip" : "reachable";
}

interface Following {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: AsyncDisposableStack;
}

const names = "--proxy-client-cert-file and --proxy-client-key-file";

/** While one of the two files is newer than the other, what they were before goes on to count. */
async function followPair(
  { certFile, keyFile }: NonNullable<AggregationSettings["proxyClient"]>,
  { clock, log, stack }: Following,
): Promise<ContentProvider<ProxyClientPair>> {
  if (certFile === undefined || keyFile === undefined) throw new StartError(`${names} go together`);
  const follow = async (path: string, what: string): Promise<ContentProvider<string>> =>
    stack.use(await followFile({ path, what, parse: (text) => text, clock, log }));
  const cert = await follow(certFile, "--proxy-client-cert-file");
  const key = await follow(keyFile, "--proxy-client-key-file");
  const pair = (): ProxyClientPair => ({ cert: cert.current, key: key.current });
  if (certificateOf(pair()) === undefined) throw new StartError(`${names} cannot be read, or do not belong together`);
  const value = new FollowedValue(pair());
  const changed = (): void => {
    if (certificateOf(pair()) !== undefined) value.set(pair());
  };
  for (const file of [cert, key]) stack.use(file.subscribe(changed));
  return value;
}
