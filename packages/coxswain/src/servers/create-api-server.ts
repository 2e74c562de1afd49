/** The API server as the options want it: the one of a process, or one of several. */
import {
  type AnonymousAuth,
  type ApiServer,
  createServer,
  type Log,
  type Metrics,
  type ProxyOptions,
  type ServerOptions,
  type ServiceIpRanges,
  type TokenUser,
  tokenAuthenticator,
} from "@coxswain/apiserver";
import type { AsyncDisposableStack, Clock, RandomSource } from "@coxswain/machinery";
import { configureAdmission } from "../access/admission-config.ts";
import { openAggregation } from "../access/aggregation.ts";
import { type FollowedAuthentication, followAuthenticationFiles } from "../access/authentication.ts";
import { openAuthorization } from "../access/authorization.ts";
import { type FollowedCertificates, frontProxyOf } from "../access/certificate-uses.ts";
import { timelineAccess } from "../access/timeline-page.ts";
import { admissionOf } from "../controllers/admission-of.ts";
import { InProcessCallers } from "../in-process/in-process-callers.ts";
import type { Options } from "../options/cluster-options.ts";
import { isLoopback } from "../pki/served-names.ts";
import { measureOnDemand } from "../resource-metrics/measure-on-demand.ts";

/** What it is made with beside the options. */
export interface ApiServerParts
  extends Pick<
    ServerOptions,
    | "store"
    | "version"
    | "platform"
    | "limits"
    | "advertiseAddress"
    | "hostname"
    | "roles"
    | "reports"
    | "endpoints"
    | "history"
    | "observesReads"
    | "healthChecks"
    | "componentHealth"
    | "audit"
    | "first"
    | "others"
  > {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Those with tokens of their own. */
  readonly users: readonly TokenUser[];
  /** What links to the timeline, and its sessions, are signed with. */
  readonly pageKey: string;
  readonly certificates: FollowedCertificates;
  /** Where no file has one. In PEM. */
  readonly serviceAccountKey: () => string;
  readonly serviceIpRanges: ServiceIpRanges;
  /** Whether something leads from cluster IPs to Pods in the network of the server. */
  readonly hasClusterIps: boolean;
}

export interface CreatedApiServer {
  readonly server: ApiServer;
  /** Who asks from within its thread. */
  readonly callers: InProcessCallers;
  /** To be disposed of before the server is closed. */
  readonly measurements: AsyncDisposable;
  /** In PEM: with which it signs tokens of service accounts. */
  readonly serviceAccountKey: string;
}

/** @param stack has what it is made of until the end @throws StartError */
export async function createApiServer(options: Options, parts: ApiServerParts, stack: AsyncDisposableStack): Promise<CreatedApiServer> {
  const { certificates, users, pageKey, serviceIpRanges, hasClusterIps, ...rest } = parts;
  const { clock, random, log, metrics } = rest;
  const observe = { clock, log, metrics };
  const authentication = stack.use(await authenticationOf(options, observe, frontProxyOf(certificates), rest.first === undefined));
  const authorization = stack.use(await openAuthorization(options.authorization, observe));
  const reach = { proxyClient: certificates.frontProxyClient, loopback: isLoopback(options.address) };
  const aggregation = stack.use(await openAggregation(options.aggregation, { ...observe, ...reach, hasClusterIps }));
  const callers = new InProcessCallers();
  const page = timelineAccess({ key: pageKey, clock, random });
  const measurements = measureOnDemand(() => server, { callers, clock, random, log });
  const serviceAccountKey = authentication.server.serviceAccountKey ?? rest.serviceAccountKey();
  const server: ApiServer = await createServer({
    ...rest,
    authenticators: [callers.authenticator, page.authenticator, tokenAuthenticator(users)],
    pages: page.pages,
    authority: certificates.authority,
    ...{ ...authentication.server, ...authorization.server, flowControl: options.flowControl },
    serviceAccountKey,
    serviceClusterIpRange: serviceIpRanges.cidrs,
    serviceNodePortRange: options.serviceNodePortRange,
    admission: await configureAdmission(await admissionOf(options), options.admissionConfig),
    tls: certificates.serving,
    ...{ serving: { maxContendedReadMs, ...options.serving }, ...aggregation.server },
    offload: "thread",
    kubelets: { credentials: certificates.kubelets, loopback: reach.loopback },
    ...(measuresResources(options) ? { resourceMetrics: measurements } : {}),
  });
  return { server, callers, measurements, serviceAccountKey };
}

/** A server alone has nothing to measure, as an API server of Kubernetes without metrics-server. */
export const measuresResources = (options: Options): boolean => !isApiServerOnly(options) && options.metricsApi !== false;

const isApiServerOnly = ({ controllers, scheduler, node }: Options): boolean =>
  controllers.length === 0 && !scheduler && node === undefined;

/** Sixteen clients that change one object have their turns in less. */
const maxContendedReadMs = 100;

/** As much as Kubernetes' default roles let everyone do: what monitors of the server ask. */
const anonymousByDefault: AnonymousAuth = { enabled: true, paths: ["/healthz", "/livez", "/readyz", "/version", "/version/"] };

interface Observe {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

function authenticationOf(
  { authentication = {}, authorization }: Options,
  observe: Observe,
  frontProxy: ProxyOptions,
  isPublished: boolean,
): Promise<FollowedAuthentication> {
  const { log } = observe;
  const at = { ...observe, isPublished, frontProxy };
  if (authorization?.modes?.includes("AlwaysAllow") !== true)
    return followAuthenticationFiles(authentication, { ...at, anonymous: anonymousByDefault });
  // Where everybody may do everything, somebody has to be known.
  if (authentication.anonymousAuth === true)
    log.warn({}, "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false.");
  return followAuthenticationFiles({ ...authentication, anonymousAuth: false }, { ...at, anonymous: { enabled: false } });
}
