/** The API server put together: one port, one pipeline, one store. */

import type { AddressInfo } from "node:net";
import type { RbacBinding, RbacRole, ResourceRegistry } from "@coxswain/api";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import { nodeAuthorizer } from "../authorization/node/node-authorizer.ts";
import { NodeGraph } from "../authorization/node/node-graph.ts";
import { rbacAuthorizer } from "../authorization/rbac/rbac-authorizer.ts";
import { RbacIndex } from "../authorization/rbac/rbac-index.ts";
import { defaultNodePorts, parsePortRange } from "../configuration/port-range.ts";
import { parseServiceIpRanges } from "../configuration/service-ip-ranges.ts";
import type { AdmissionChoice } from "../contracts/admission.ts";
import type { AggregationOptions } from "../contracts/aggregation-options.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { ClusterAuthority } from "../contracts/cluster-authority.ts";
import type { ComponentHealth } from "../contracts/component-health.ts";
import { type ContentProvider, providerOf } from "../contracts/content-provider.ts";
import type { HttpHandler, Reply } from "../contracts/http.ts";
import type { Log } from "../contracts/log.ts";
import type { ProcessRequest } from "../contracts/process-peer.ts";
import type { ResourceMetrics } from "../contracts/resource-metrics.ts";
import type { ServingPair } from "../contracts/serving-options.ts";
import type { CustomResources } from "../extensions/custom-resources.ts";
import type { ConnectionLimits } from "../http/limits.ts";
import type { InvariantWatch } from "../invariants/invariant-watch.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { followNodes } from "../rbac/node-informer.ts";
import { followRbac } from "../rbac/rbac-informer.ts";
import type { RuleSource } from "../rbac/user-rules.ts";
import { makeServiceAccountKey } from "../service-accounts/signing-key.ts";
import type { TokenOptions } from "../service-accounts/tokens.ts";
import { nodeRules, prepareState } from "./bootstrap-rbac.ts";
import { noControlLoops, startControlLoops } from "./control-loops.ts";
import { createAggregator } from "./create-aggregator.ts";
import { createAuthentication, type ServerAuthentication } from "./create-authentication.ts";
import { type AuthorizationOptions, createAuthorizer } from "./create-authorizer.ts";
import { createCustomResources } from "./create-custom-resources.ts";
import { createFlowControl, type FlowControlOptions } from "./create-flow-control.ts";
import { createHandlers, type HandlerOptions } from "./create-handlers.ts";
import type { ServerNetwork } from "./create-network.ts";
import { createResourceServer } from "./create-resource-server.ts";
import { createWatchInvariants, observedReads, type WatchInvariantsOptions } from "./create-watch-invariants.ts";
import { advertisedAddress, Listeners, limitsOf } from "./listeners.ts";
import { OwnAddress } from "./own-address.ts";
import { followAuthentication } from "./published-authentication.ts";
import { resourceServerOptions } from "./resource-server-options.ts";
import { Shutdown } from "./shutdown.ts";

/** What an API server is made of, and how it is set up. */
export interface ServerOptions extends ServerNetwork, HandlerOptions {
  readonly store: Store;
  /** The state is to stay as it is: nothing is made that is missing, and nothing kept in order. Default: the server does both. */
  readonly isReadOnly?: boolean | undefined;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly authenticators: readonly Authenticator[];
  /** Default: what kubelets may do, then RBAC, after `system:masters`, whose members may do everything. */
  readonly authorizer?: Authorizer;
  /** Which authorizers there are instead, where none is given. Default: Node, then RBAC. */
  readonly authorization?: AuthorizationOptions;
  /** Roles and bindings of what runs beside the server, kept in order at each start as the default ones are. */
  readonly roles?: readonly (RbacRole | RbacBinding)[];
  /** How requests are passed on to the servers that APIServices name. */
  readonly aggregation?: AggregationOptions | undefined;
  /** Who measures what Pods and Nodes use, for metrics.k8s.io. Without it that group is for others to serve. */
  readonly resourceMetrics?: ResourceMetrics;
  /** What runs beside the server in its process, by the names of ComponentStatuses; the others are asked over the network. */
  readonly componentHealth?: ComponentHealth;
  /** An IP address at which the cluster reaches the server once it listens: where Service `default/kubernetes` leads. */
  readonly advertiseAddress?: string;
  /** Of the machine, for the Lease by which others know that the server runs. Default: it has none. */
  readonly hostname?: string | undefined;
  /** How many requests are served at a time, and which go first. Default: all, at once. */
  readonly flowControl?: FlowControlOptions | undefined;
  /** Whether invariants can be watched with what their writers had read. Default: what was read is not known. */
  readonly observesReads?: boolean;
  /** One range of addresses for Services, or one of each family: the first is the default. Default: 10.96.0.0/12. */
  readonly serviceClusterIpRange?: readonly string[] | undefined;
  /** Ports that Services may have on every Node, as `FIRST-LAST`, `FIRST+MORE` or `PORT`. Default: 30000-32767. */
  readonly serviceNodePortRange?: string | undefined;
  /** Signs what certificate signing requests ask for, and has the certificates of the authorities whose clients are trusted. */
  readonly authority?: ClusterAuthority | ContentProvider<ClusterAuthority>;
  /** A private key in PEM, RSA or EC, for service account tokens. Without one, tokens end with the server. */
  readonly serviceAccountKey?: string;
  /** What those tokens say of this server, and whose count, too. */
  readonly tokenOptions?: TokenOptions;
  /** Default: all plug-ins but ServiceAccount, which needs controllers that make accounts. */
  readonly admission?: AdmissionChoice;
  readonly metrics: Metrics;
  /** With what it serves: those of now, on new connections. */
  readonly tls: ServingPair | ContentProvider<ServingPair>;
  /** Default: the built-in resources. */
  readonly registry?: ResourceRegistry;
  /** How long clients may take; by default as long as with Kubernetes. */
  readonly limits?: Partial<ConnectionLimits>;
  /**
   * Where to serve requests that would hold up others: `thread` starts one for them when the first comes. It knows the
   * built-in registry, the system's clock and its random source. By default everything is served by the thread of the caller.
   */
  readonly offload?: "thread";
}

/** An API server that answers, with or without a port. */
export interface ApiServer {
  /** The pipeline itself, for callers in the same process. */
  readonly handle: HttpHandler;
  /** How many are open. */
  connections(): number;
  /** Answers what another server of the process was asked about it. @throws StatusError */
  serveProcess(request: ProcessRequest): Promise<Reply>;
  /** Checks invariants on every version until the watch is disposed of. @throws unknownPath() where the store's past is another's */
  watchInvariants(options: WatchInvariantsOptions): Promise<InvariantWatch>;
  /** Again for another address: clients get the last one. With `reusePort` others listen there, too. */
  listen(port: number, address: string, how?: { readonly reusePort?: boolean }): Promise<AddressInfo>;
  /**
   * From now on `/readyz` fails, and nothing leads to the server any more; all is served as before for as long as `shutdownDelayMs`
   * says. Then it is time to close.
   */
  announceShutdown(): Promise<void>;
  /** Ends all connections at once: its thread is about to end. */
  abandon(): void;
  /** Announces it, lets requests finish, ends watches as their timeout would, closes the port. The store stays open: it is the caller's. */
  close(): Promise<void>;
}

/** Makes what every cluster has where it is missing, then answers. @throws RangeError for ranges that Services cannot have */
export async function createServer(options: ServerOptions): Promise<ApiServer> {
  const { serviceAccountKey = makeServiceAccountKey() } = options;
  const serviceIpRanges = parseServiceIpRanges(options.serviceClusterIpRange);
  const serviceNodePorts = options.serviceNodePortRange === undefined ? defaultNodePorts : parsePortRange(options.serviceNodePortRange);
  let customResources: CustomResources | undefined;
  const onOutdated = (definition: string, before: number): void => customResources?.outdate(definition, before);
  const rules = new RbacIndex();
  const nodes = new NodeGraph();
  const { followedAuthorizer, authorize, ruleSources } = await authorizationOf(options, rules, nodes);
  const authentication = await authenticationOf(options);
  const ownAddress = new OwnAddress();
  const server = createResourceServer(
    resourceServerOptions({
      ...{ ...options, authorizer: authorize, ruleSources, authentication },
      ...{ serviceIpRanges, serviceNodePorts, serviceAccountKey, ownAddress, onOutdated },
    }),
  );
  const { system, storage, objects, network } = server;
  const { clock, random, log, metrics } = system;
  const { store, served } = storage;
  const given = { store, served, clock, random, serviceIpRanges };
  const isKeeper = options.first === undefined && options.isReadOnly !== true;
  if (isKeeper) await prepareState({ ...given, cache: storage.cache }, options.roles);
  const reader = { store, cache: storage.cache, served };
  const followedRules = await followRbac(reader, rules);
  const followedNodes = await followNodes(reader, nodes);
  const admission = await server.admission.start();
  customResources = createCustomResources(server, isKeeper);
  await customResources.start();
  const loops = isKeeper ? await startControlLoops(server, { ...options, serviceIpRanges, serviceNodePorts }) : noControlLoops;
  const aggregator = createAggregator(server, options);
  await aggregator.start();
  const { tls, advertiseAddress, serving = {} } = options;
  const flowControl = await createFlowControl(options.flowControl, { reader, clock, metrics, requestTimeoutMs: serving.requestTimeoutMs });
  const state = { stopping: false, rejecting: false, address: "127.0.0.1:6443" };
  const reads = await observedReads(options.observesReads);
  const { handle, handleInProcess, serveProcess } = createHandlers(server, { options, aggregator, flows: flowControl.flows, state, reads });
  const listeners = new Listeners({ tls: providerOf(tls), authentication, handler: handle, limits: limitsOf(options), clock, log });
  const shutdown = new Shutdown({ state, serving, loops, listeners, clock, log });
  const published = options.authentication?.isPublished === true ? await followAuthentication(given, authentication, log) : undefined;
  return {
    ...{ handle: handleInProcess, serveProcess },
    connections: () => listeners.connections,
    watchInvariants: createWatchInvariants(server, { history: options.history, reads }),
    async listen(port, address, { reusePort = false } = {}) {
      const bound = await listeners.listen(port, address, reusePort);
      ownAddress.listensAt(bound);
      state.address = advertisedAddress(bound, advertiseAddress);
      const announce = (): void => {
        if (!state.stopping) loops.listening(bound.port, advertiseAddress);
      };
      // Clients need not wait for it.
      if (listeners.count === 1) setImmediate(announce);
      return bound;
    },
    announceShutdown: () => shutdown.announce(),
    abandon: () => listeners.abandon(),
    async close() {
      await shutdown.announce();
      await shutdown.drain();
      await published?.[Symbol.asyncDispose]();
      authentication[Symbol.dispose]();
      await aggregator[Symbol.asyncDispose]();
      await loops.stop();
      objects.watches.close();
      network.kubelets?.[Symbol.dispose]();
      network.podAddresses[Symbol.dispose]();
      await listeners.close();
      server.offload?.[Symbol.dispose]();
      loops[Symbol.dispose]();
      admission[Symbol.dispose]();
      followedAuthorizer[Symbol.dispose]();
      followedRules[Symbol.dispose]();
      followedNodes[Symbol.dispose]();
      flowControl[Symbol.dispose]();
      customResources[Symbol.dispose]();
      await network.webhooks.close();
    },
  };
}

const authenticationOf = ({ authentication = {}, authority, clock, random, log, metrics }: ServerOptions): Promise<ServerAuthentication> =>
  createAuthentication({ options: authentication, authority: authority && providerOf(authority), clock, random, log, metrics });

async function authorizationOf(options: ServerOptions, rules: RbacIndex, nodes: NodeGraph) {
  const authorizers = { node: nodeAuthorizer(nodes, await nodeRules()), rbac: rbacAuthorizer(rules) };
  const followedAuthorizer = createAuthorizer(options.authorization, { ...options, ...authorizers });
  const isOwn = options.authorizer === undefined;
  return {
    followedAuthorizer,
    authorize: options.authorizer ?? followedAuthorizer.authorize,
    ruleSources: isOwn ? followedAuthorizer.types : customRules,
  };
}

const customRules = (): readonly RuleSource[] => ["Custom"];
