/** The services of a server, in groups that go together. */
import type { ResourceDefinition, ResourceRegistry } from "@coxswain/api";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { BackendConnectionsOptions } from "../aggregation/backend-connections.ts";
import type { Conflicts } from "../conflicts/conflicts.ts";
import type { Admission } from "../contracts/admission.ts";
import type { Log } from "../contracts/log.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { CertificateSigner } from "../effects/certificates/certificate-signing-request/certificate-signer.ts";
import type { AccessServices } from "../effects/services.ts";
import type { ResourceHandler } from "../handlers/serve-resource.ts";
import type { Kubelets } from "../kubelets/kubelets.ts";
import type { PodAddresses } from "../kubelets/pod-addresses.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Offloader } from "../offload/offloader.ts";
import type { DeleteEntry } from "../registry/delete-entry.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import type { WatchHub } from "../watch/hub.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

/** What surrounds the server. */
export interface SystemServices {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Where objects are, and what is served of them. */
export interface StorageServices {
  readonly store: Store;
  /** Of the parsed form of entries. */
  readonly cache: ObjectCache;
  readonly definitions: ResourceRegistry;
  readonly served: ServedResources;
}

/** What is done with objects. */
export interface ObjectServices {
  readonly registry: GenericRegistry;
  readonly responses: ResponseWriter;
  readonly deleteEntry: DeleteEntry;
  readonly signer: CertificateSigner;
  readonly watches: WatchHub;
  readonly eventLoop: EventLoop;
}

/** What the server reaches. */
export interface NetworkServices {
  /** Undefined where no nodes are behind the server. */
  readonly kubelets: Kubelets | undefined;
  readonly podAddresses: PodAddresses;
  readonly webhooks: Webhooks;
  /** Where requests to Services go. */
  readonly services: Pick<BackendConnectionsOptions, "resolve" | "dial" | "loopback">;
}

/** Serves requests on resources, in the main thread or in the one for costly requests. */
export interface ResourceServer {
  readonly system: SystemServices;
  readonly storage: StorageServices;
  readonly access: AccessServices;
  readonly admission: Admission;
  readonly objects: ObjectServices;
  readonly network: NetworkServices;
  readonly conflicts: Conflicts;
  /** Undefined where everything is served by this thread. */
  readonly offload: Offloader | undefined;
  /** @throws what the request's failure is answered as */
  readonly serve: ResourceHandler;
}

/** Called for custom resources whose objects from before a revision may not suit them, where another thread serves them too. */
export type OnOutdated = (definition: ResourceDefinition, before: number) => void;
