/** What every part of the server is given, and what each request carries. */
import type { ResourceDefinition, ResourceRegistry } from "@coxswain/api";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { Authenticator, UserInfo } from "./authentication/authenticator.ts";
import type { Authorizer } from "./authorization/authorizer.ts";
import type { CertificateAuthority } from "./certificates/authority.ts";
import type { Conflicts } from "./conflicts/conflicts.ts";
import type { Admission } from "./contracts/admission.ts";
import type { ResourceMetrics } from "./contracts/resource-metrics.ts";
import type { ComponentHealth } from "./effects/core/component-status.ts";
import type { HttpRequest } from "./http/exchange.ts";
import type { Kubelets } from "./kubelets/kubelets.ts";
import type { PodAddresses } from "./kubelets/pod-addresses.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Representation } from "./negotiation/negotiate.ts";
import type { HeavyWork } from "./offload/offload.ts";
import type { ResourceRequest } from "./request/request-info.ts";
import type { ServiceAccountTokens } from "./service-accounts/tokens.ts";
import type { Turns } from "./storage/event-loop-yield.ts";
import type { KeyedLock } from "./storage/keyed-lock.ts";
import type { ServedResource, ServedResources } from "./storage/served-resource.ts";
import type { ObjectCache } from "./storage/stored-object.ts";
import type { WatchHub } from "./watch/hub.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** Logs are a constant message plus fields. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ServerContext {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly served: ServedResources;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly locks: KeyedLock;
  readonly turns: Turns;
  readonly watches: WatchHub;
  readonly webhooks: Webhooks;
  readonly metrics: Metrics;
  readonly conflicts: Conflicts;
  readonly admission: Admission;
  readonly authenticate: Authenticator;
  readonly tokens: ServiceAccountTokens;
  /** Undefined when approved certificate requests are for somebody else to sign. */
  readonly authority: CertificateAuthority | undefined;
  readonly authorize: Authorizer;
  /** Serves what would hold up others. Undefined where everything is served by this thread. */
  readonly heavyWork: HeavyWork | undefined;
  /** Undefined where no nodes are behind the server. */
  readonly kubelets: Kubelets | undefined;
  readonly podAddresses: PodAddresses;
  /** Who measures what Pods and Nodes use, if anybody does. */
  readonly resourceMetrics?: ResourceMetrics | undefined;
  /** What runs beside the server in its process, for ComponentStatuses. */
  readonly componentHealth?: ComponentHealth | undefined;
  /** Told of custom resources whose objects from before a revision may not suit them, where another thread serves them too. */
  readonly onOutdated?: ((definition: ResourceDefinition, before: number) => void) | undefined;
}

/** One request on a resource, authenticated and authorised. */
export interface RequestContext {
  readonly server: ServerContext;
  readonly request: HttpRequest;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly representation: Representation;
  readonly user: UserInfo;
  readonly requestId: string;
  /** Texts for the Warning header, in order; repeats are dropped when sent. */
  readonly warnings: string[];
  /** Bytes of the largest object, as stored, that this thread should work on for this request. */
  readonly mostBytes: number;
}
