/** Puts together what serves requests on resources: in the main thread, and in the one for costly requests. */
import { createResourceRegistry, type ResourceRegistry } from "@coxswain/api";
import type { Store } from "@coxswain/store";
import { createAdmission } from "../admission/plugins.ts";
import type { PortRange } from "../configuration/port-range.ts";
import type { ServiceIpRanges } from "../configuration/service-ip-ranges.ts";
import { Conflicts } from "../conflicts/conflicts.ts";
import type { AdmissionChoice } from "../contracts/admission.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { ClusterAuthority } from "../contracts/cluster-authority.ts";
import type { ComponentHealth } from "../contracts/component-health.ts";
import type { ContentProvider } from "../contracts/content-provider.ts";
import type { ResourceMetrics } from "../contracts/resource-metrics.ts";
import { ObjectKeeper } from "../controlplane/object-keeper.ts";
import { CertificateSigner } from "../effects/certificates/certificate-signing-request/certificate-signer.ts";
import { createEffects } from "../effects/effects.ts";
import type { AccessServices } from "../effects/services.ts";
import { createServePart } from "../handlers/serve-part.ts";
import { createResourceHandler } from "../handlers/serve-resource.ts";
import { BodyDecoder } from "../negotiation/body-decoder.ts";
import { createOffloadedDelete } from "../offload/offloaded-delete.ts";
import type { Offloader } from "../offload/offloader.ts";
import { createInlineLimits } from "../offload/request-cost.ts";
import type { OffloadHost } from "../offload/thread-handle.ts";
import { ContendedObjects } from "../registry/contended-objects.ts";
import { createDeleteEntry } from "../registry/delete-entry.ts";
import { GenericRegistry } from "../registry/generic-registry.ts";
import { ResponseWriter } from "../responsewriters/response-writer.ts";
import { readSigningKey } from "../service-accounts/signing-key.ts";
import { ServiceAccountTokens, type TokenOptions } from "../service-accounts/tokens.ts";
import { EventLoop } from "../storage/event-loop.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { servedResources } from "../storage/served-resource.ts";
import { ObjectCache } from "../storage/stored-object.ts";
import { WatchHub } from "../watch/hub.ts";
import { createNetwork, type ServerNetwork } from "./create-network.ts";
import { createVerbs } from "./create-verbs.ts";
import type { OwnAddress } from "./own-address.ts";
import type { ObjectServices, OnOutdated, ResourceServer, StorageServices, SystemServices } from "./services.ts";

export interface ResourceServerOptions {
  readonly system: SystemServices;
  readonly storage: StorageOptions;
  readonly access: AccessOptions;
  readonly cluster: ClusterOptions;
  readonly admission?: AdmissionChoice | undefined;
  /** Serves what costs more than this thread can spend on a request. Default: everything is served by this thread. */
  readonly offload?: ((host: Omit<OffloadHost, "onOutdated">) => Offloader) | undefined;
  readonly onOutdated?: OnOutdated | undefined;
  readonly minRequestTimeoutMs?: number | undefined;
  readonly maxContendedReadMs?: number | undefined;
}

export interface StorageOptions {
  readonly store: Store;
  /** Default: one of the size that a server needs. */
  readonly cache?: ObjectCache;
  /** Default: the built-in resources. */
  readonly definitions?: ResourceRegistry | undefined;
}

export interface AccessOptions {
  readonly createAuthenticator: (tokens: ServiceAccountTokens, reader: ObjectReader) => Authenticator;
  readonly authorize: Authorizer;
  readonly ruleSources: AccessServices["ruleSources"];
  /** A private key in PEM, RSA or EC. */
  readonly serviceAccountKey: string;
  readonly tokenOptions?: TokenOptions | undefined;
}

export interface ClusterOptions extends ServerNetwork {
  readonly ownAddress: OwnAddress;
  /** Undefined when approved certificate requests are signed by another component. */
  readonly authority?: ContentProvider<ClusterAuthority> | undefined;
  readonly resourceMetrics?: ResourceMetrics | undefined;
  readonly componentHealth?: ComponentHealth | undefined;
  readonly serviceIpRanges: ServiceIpRanges;
  readonly serviceNodePorts: PortRange;
}

export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const { system, cluster, onOutdated, minRequestTimeoutMs, maxContendedReadMs: maxWaitMs = 0 } = options;
  const { clock, random, log, metrics } = system;
  const storage = createStorage(options.storage);
  const { store, cache, served } = storage;
  const reader: ObjectReader = { store, cache, served };
  const tokens = new ServiceAccountTokens(readSigningKey(options.access.serviceAccountKey), options.access.tokenOptions);
  const { authorize, ruleSources } = options.access;
  const access = { authenticate: options.access.createAuthenticator(tokens, reader), authorize, ruleSources, tokens };
  const eventLoop = new EventLoop();
  const network = createNetwork({ ...cluster, reader, clock, random });
  const { webhooks } = network;
  const admission = createAdmission(options.admission, {
    ...{ ...reader, served, clock, random, authorize, webhooks, log, metrics },
    serviceIpFamilies: cluster.serviceIpRanges.families,
    serviceNodePorts: cluster.serviceNodePorts,
    createNamespace: (namespace) => new ObjectKeeper({ store, registry, served, random }).keep(namespace, () => undefined),
  });
  const contended = maxWaitMs > 0 ? new ContendedObjects({ clock, maxWaitMs }) : undefined;
  const registry = new GenericRegistry({ ...reader, served, clock, random, eventLoop, admission, contended, onOutdated });
  const offload = options.offload?.({ store, log, metrics, authenticate: access.authenticate, authorize, ruleSources });
  const deleteEntry = createDeleteEntry(registry);
  const objects: ObjectServices = {
    registry,
    responses: new ResponseWriter({ cache, clock, eventLoop }),
    deleteEntry: offload === undefined ? deleteEntry : createOffloadedDelete({ deleteEntry, offload, served }),
    signer: new CertificateSigner({ authority: cluster.authority, reader, registry, clock, random, log }),
    watches: new WatchHub({ store, cache, clock, metrics, serves: served.serves }),
    eventLoop,
  };
  const decoder = new BodyDecoder({ served, eventLoop });
  const verbs = createVerbs({ storage, objects, contended, decoder, clock, random, minRequestTimeoutMs });
  const { resourceMetrics, componentHealth } = cluster;
  const effects = createEffects({
    reader,
    admission,
    access,
    registry,
    rest: { decoder, responses: objects.responses, servePart: createServePart(verbs) },
    cluster: { signer: objects.signer, kubelets: network.kubelets, resourceMetrics, componentHealth },
    clock,
    random,
  });
  const limits = offload === undefined ? undefined : createInlineLimits(clock);
  return {
    system,
    storage,
    access,
    admission,
    objects,
    network,
    conflicts: new Conflicts({ store, cache, clock, log, metrics }),
    offload,
    serve: createResourceHandler({ registry: storage.definitions, served, verbs, effects, limits }),
  };
}

function createStorage({ store, cache = new ObjectCache(), definitions = createResourceRegistry() }: StorageOptions): StorageServices {
  return { store, cache, definitions, served: servedResources(definitions) };
}
