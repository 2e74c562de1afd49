/** What every part of the server is given, and what each request carries. */
import type { ResourceDefinition, ResourceRegistry } from "@coxswain/api";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { Conflicts } from "./conflicts/conflicts.ts";
import type { Admission } from "./contracts/admission.ts";
import type { Authenticator } from "./contracts/authenticator.ts";
import type { Authorizer } from "./contracts/authorizer.ts";
import type { ComponentHealth } from "./contracts/component-health.ts";
import type { Log } from "./contracts/log.ts";
import type { ResourceMetrics } from "./contracts/resource-metrics.ts";
import type { ServedResources } from "./contracts/served-resource.ts";
import type { CertificateSigner } from "./effects/certificates/certificate-signing-request/certificate-signer.ts";
import type { Effects } from "./handlers/effect.ts";
import type { ServePart } from "./handlers/serve-part.ts";
import type { ResourceHandler } from "./handlers/serve-resource.ts";
import type { Kubelets } from "./kubelets/kubelets.ts";
import type { PodAddresses } from "./kubelets/pod-addresses.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { BodyDecoder } from "./negotiation/body-decoder.ts";
import type { Offloader } from "./offload/offloader.ts";
import type { DeleteEntry } from "./registry/delete-entry.ts";
import type { GenericRegistry } from "./registry/generic-registry.ts";
import type { ResponseWriter } from "./responsewriters/response-writer.ts";
import type { ServiceAccountTokens } from "./service-accounts/tokens.ts";
import type { EventLoop } from "./storage/event-loop.ts";
import type { ObjectCache } from "./storage/stored-object.ts";
import type { WatchHub } from "./watch/hub.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

export interface ServerContext {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly served: ServedResources;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly objects: GenericRegistry;
  readonly decoder: BodyDecoder;
  readonly responses: ResponseWriter;
  readonly deleteEntry: DeleteEntry;
  readonly servePart: ServePart;
  readonly serveResource: ResourceHandler;
  readonly eventLoop: EventLoop;
  readonly watches: WatchHub;
  readonly webhooks: Webhooks;
  readonly metrics: Metrics;
  readonly conflicts: Conflicts;
  readonly admission: Admission;
  readonly effects: Effects;
  readonly authenticate: Authenticator;
  readonly tokens: ServiceAccountTokens;
  readonly signer: CertificateSigner;
  readonly authorize: Authorizer;
  /** Serves what would hold up others. Undefined where everything is served by this thread. */
  readonly offload: Offloader | undefined;
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
