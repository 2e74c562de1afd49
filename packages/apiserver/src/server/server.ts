/** The API server put together: one port, one pipeline, one store. */
import { type AddressInfo, isIPv6 } from "node:net";
import type { ResourceRegistry } from "@coxswain/api";
import { type Clock, type RandomSource, type StatusError, sleep, timeout, tooLarge } from "@coxswain/machinery";
import type { AuthorityPems } from "@coxswain/pki/node";
import type { Store } from "@coxswain/store";
import type { AdmissionChoice } from "../admission/plugins.ts";
import { forAudiences, unionAuthenticator } from "../authentication/authenticator.ts";
import { clientCertificateAuthenticator } from "../authentication/client-certificate.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { ComponentHealth } from "../contracts/component-health.ts";
import type { HttpHandler, Reply } from "../contracts/http.ts";
import type { Log } from "../contracts/log.ts";
import type { ResourceMetrics } from "../contracts/resource-metrics.ts";
import { AggregatedGroups } from "../controlplane/aggregated-groups.ts";
import { ApiServices } from "../controlplane/api-services.ts";
import { FlowSchemaStatus } from "../controlplane/flow-schema-status.ts";
import { KubernetesService } from "../controlplane/kubernetes-service.ts";
import { ObjectKeeper } from "../controlplane/object-keeper.ts";
import { ServiceIpAddresses } from "../controlplane/service-ip-addresses.ts";
import { EventExpiry } from "../effects/core/event/event-expiry.ts";
import { metricsDefinitions } from "../effects/metrics/definitions.ts";
import type { CustomResources } from "../extensions/custom-resources.ts";
import { bytesReply, maxBodyBytes } from "../http/exchange.ts";
import type { ConnectionLimits } from "../http/limits.ts";
import type { Listener } from "../http/listener.ts";
import type { KubeletOptions } from "../kubelets/kubelet-options.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { Offloader } from "../offload/offloader.ts";
import { OffloadThreadHandle } from "../offload/thread-handle.ts";
import { createDispatch } from "../pipeline/dispatch.ts";
import { createPipeline } from "../pipeline/pipeline.ts";
import { createStages } from "../pipeline/stages.ts";
import type { HealthCheck } from "../routes/health.ts";
import { createPathRoutes } from "../routes/paths.ts";
import type { Report } from "../routes/reports.ts";
import { versionInfo } from "../routes/version.ts";
import { serviceAccountAuthenticator } from "../service-accounts/authenticator.ts";
import { makeServiceAccountKey } from "../service-accounts/signing-key.ts";
import { bootstrap } from "./bootstrap.ts";
import { createServerContext } from "./create-context.ts";
import { createCustomResources } from "./create-custom-resources.ts";
import { createDocuments, createServerHealth } from "./documents.ts";
import { publishAuthentication } from "./published-authentication.ts";

export interface ServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  /** How to reach the nodes' kubelets, for logs, commands and proxies. Without it there are none. */
  readonly kubelets?: KubeletOptions;
  /** Who measures what Pods and Nodes use, for metrics.k8s.io. Without it that group is for others to serve. */
  readonly resourceMetrics?: ResourceMetrics;
  /** What runs beside the server in its process, by the names of ComponentStatuses; the others are asked over the network. */
  readonly componentHealth?: ComponentHealth;
  /** An IP address at which the cluster reaches the server once it listens: where Service `default/kubernetes` leads. */
  readonly advertiseAddress?: string;
  /** Served at `/coxswain/v1/NAME/…`, by name. */
  readonly reports?: ReadonlyMap<string, Report>;
  /** Signs what certificate signing requests ask for, and tells which clients' certificates count. */
  readonly authority?: AuthorityPems;
  /** In PEM: tells other components of the cluster whom to know by a certificate. Without one nothing is told. */
  readonly publishedAuthority?: string;
  /** A private EC P-256 key in PEM, for service account tokens. Without one, tokens end with the server. */
  readonly serviceAccountKey?: string;
  /** Default: all plug-ins but ServiceAccount, which needs controllers that make accounts. */
  readonly admission?: AdmissionChoice;
  readonly metrics: Metrics;
  readonly tls: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array };
  /** Default: the built-in resources. */
  readonly registry?: ResourceRegistry;
  /** The version of coxswain. */
  readonly version: string;
  /** As Kubernetes names it: `linux/amd64`. */
  readonly platform: string;
  /** More that `/healthz` and its like tell of. */
  readonly healthChecks?: readonly HealthCheck[];
  /** How long clients may take; by default as long as with Kubernetes. */
  readonly limits?: Partial<ConnectionLimits>;
  /**
   * Where to serve requests that would hold up others: `thread` starts one for them when the first comes. It knows the
   * built-in registry, the system's clock and its random source. By default everything is served by the thread of the caller.
   */
  readonly offload?: "thread";
}

export interface ApiServer {
  /** The pipeline itself, for callers in the same process. */
  readonly handle: HttpHandler;
  /** Again for another address: the last one is what it tells clients. */
  listen(port: number, address: string): Promise<AddressInfo>;
  /** Ends watches as their timeout would, lets requests finish, closes the port. The store stays open: it is the caller's. */
  close(): Promise<void>;
}

/** What the thread for heavy requests runs: the source, or what was made of it. */
const offloadThread = new URL(`./offload-thread.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

/** How long requests under way may take when the server closes. */
const closeGraceMs = 5_000;

/** Makes what every cluster has where it is missing, then answers. */
export async function createServer(options: ServerOptions): Promise<ApiServer> {
  const { offload, ...given } = options;
  const { store, clock, log, metrics, serviceAccountKey = makeServiceAccountKey(), authority } = given;
  const server = createServerContext({
    ...given,
    authorize: options.authorizer,
    serviceAccountKey,
    authenticate: ({ tokens, cache, served }) =>
      unionAuthenticator([
        clientCertificateAuthenticator(clock),
        ...options.authenticators.map((one) => forAudiences(tokens.apiAudiences, one)),
        serviceAccountAuthenticator(tokens, { store, cache, served }, clock),
      ]),
    ...(offload !== "thread"
      ? {}
      : {
          offload: (parts) => {
            const onOutdated = (definition: string, before: number): void => customResources?.outdate(definition, before);
            const { admission, kubelets: { connect: _connect, ...kubelets } = {} } = options;
            const setting = { serviceAccountKey, authority, admission, kubelets: options.kubelets === undefined ? undefined : kubelets };
            return new Offloader(() => new OffloadThreadHandle(offloadThread, { ...parts, onOutdated }, setting), clock);
          },
        }),
  });
  const reader = { store, cache: server.cache, served: server.served };
  const { registry, tokens, watches, webhooks, eventLoop } = server;
  let customResources: CustomResources | undefined;
  await bootstrap(server);
  if (options.publishedAuthority !== undefined) await publishAuthentication(server, options.publishedAuthority);
  await server.signer.start();
  customResources = createCustomResources(server, true);
  await customResources.start();
  const eventExpiry = new EventExpiry({ reader, clock, log });
  await eventExpiry.start();
  const kept = { reader, keeper: new ObjectKeeper({ registry: server.objects, served: server.served, random: server.random }), clock, log };
  const aggregated = new AggregatedGroups({
    reader,
    registry,
    ownUntilThen: options.resourceMetrics === undefined ? [] : metricsDefinitions(),
  });
  await aggregated.start();
  const apiServices = new ApiServices({ ...kept, registry });
  await apiServices.start();
  const flowSchemaStatus = new FlowSchemaStatus({
    reader,
    registry: server.objects,
    responses: server.responses,
    clock,
    random: server.random,
    log,
  });
  flowSchemaStatus.start();
  const serviceIpAddresses = new ServiceIpAddresses(kept);
  serviceIpAddresses.start();
  const kubernetesService = new KubernetesService(kept);
  const state = { stopping: false, address: "127.0.0.1:6443", repair: Promise.resolve() };
  const version = versionInfo(options.version, options.platform);
  const paths = createPathRoutes({
    ...createDocuments({ registry, tokens, clock }, { version: version.gitVersion, state }),
    health: createServerHealth(store, state, options.healthChecks),
    metrics,
    conflicts: server.conflicts.recent,
    reports: options.reports ?? new Map(),
    version,
  });
  const stages = createStages({ access: server, observe: server, aggregated, offload: server.offload, registry, eventLoop, clock });
  const dispatch = createDispatch({ serveResource: server.serveResource, servePath: paths.serve });
  const handle = createPipeline({ stages, dispatch, clock, random: server.random });
  const listeners: Listener[] = [];
  return {
    handle,
    async listen(port, address) {
      // Servers that are only asked within their process need no HTTP/2.
      const { createListener } = await import("../http/listener.ts");
      const listener = createListener({
        ...options.tls,
        ...(options.authority === undefined ? {} : { clientAuthority: options.authority.cert }),
        handler: handle,
        clock,
        tooLarge: () => statusReply(tooLarge(maxBodyBytes)),
        timedOut: () => statusReply(timeout("request did not complete within the allotted timeout")),
        ...(options.limits === undefined ? {} : { limits: options.limits }),
        onError: (error) => log.error({ error }, "a connection failed"),
      });
      const bound = await listener.listen(port, address);
      listeners.push(listener);
      state.address = advertisedAddress(bound, options.advertiseAddress);
      if (listeners.length > 1) return bound;
      // Clients need not wait for it.
      setImmediate(() => {
        if (state.stopping) return;
        kubernetesService.start({ ip: options.advertiseAddress, port: bound.port });
        state.repair = serviceIpAddresses.repair();
      });
      return bound;
    },
    async close() {
      state.stopping = true;
      await Promise.all([kubernetesService, serviceIpAddresses, flowSchemaStatus, apiServices].map((one) => one[Symbol.asyncDispose]()));
      await state.repair;
      watches.close();
      server.kubelets?.[Symbol.dispose]();
      server.podAddresses[Symbol.dispose]();
      const given = new AbortController();
      const grace = (ms: number): Promise<void> => sleep(clock, ms, given.signal).catch(() => undefined);
      await Promise.all(listeners.map((listener) => listener.close(closeGraceMs, grace)));
      given.abort();
      server.offload?.[Symbol.dispose]();
      eventExpiry[Symbol.dispose]();
      aggregated[Symbol.dispose]();
      customResources[Symbol.dispose]();
      await webhooks.close();
    },
  };
}

/** What clients are told to reach the server at: nobody can reach "any address". */
function advertisedAddress({ address, port }: AddressInfo, advertised: string | undefined): string {
  const host = address === "0.0.0.0" || address === "::" ? (advertised ?? address) : address;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** For what is refused before anybody knows which form the client wants. */
const statusReply = ({ code, status }: StatusError): Reply =>
  bytesReply(code, "application/json", Buffer.from(`${JSON.stringify(status)}\n`));
