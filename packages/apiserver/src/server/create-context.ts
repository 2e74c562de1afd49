/** What every part of a server is given, put together: of the one that answers, and of its thread for heavy requests. */
import { createResourceRegistry, type ResourceRegistry } from "@coxswain/api";
import { type AuthorityPems, CertificateAuthority } from "@coxswain/pki/node";
import { type AdmissionChoice, createAdmission } from "../admission/plugins.ts";
import { Conflicts } from "../conflicts/conflicts.ts";
import type { ServerContext } from "../context.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import { CertificateSigner } from "../effects/certificates/certificate-signing-request/certificate-signer.ts";
import { createEffects } from "../effects/effects.ts";
import { createCreate } from "../handlers/create.ts";
import { createDelete } from "../handlers/delete.ts";
import { createDeleteCollection } from "../handlers/delete-collection.ts";
import { createGet } from "../handlers/get.ts";
import { createList } from "../handlers/list.ts";
import { createPatch } from "../handlers/patch.ts";
import { createServePart } from "../handlers/serve-part.ts";
import { createResourceHandler } from "../handlers/serve-resource.ts";
import { createUpdate } from "../handlers/update.ts";
import type { Verbs } from "../handlers/verbs.ts";
import { createWatch } from "../handlers/watch.ts";
import type { KubeletOptions } from "../kubelets/kubelet-options.ts";
import { Kubelets } from "../kubelets/kubelets.ts";
import { PodAddresses } from "../kubelets/pod-addresses.ts";
import { endpointRoute } from "../kubelets/pod-route.ts";
import { BodyDecoder } from "../negotiation/body-decoder.ts";
import { createOffloadedDelete } from "../offload/offloaded-delete.ts";
import type { Offloader } from "../offload/offloader.ts";
import { createInlineLimits } from "../offload/request-cost.ts";
import { createDeleteEntry } from "../registry/delete-entry.ts";
import { GenericRegistry } from "../registry/generic-registry.ts";
import { ResponseWriter } from "../responsewriters/response-writer.ts";
import { readSigningKey } from "../service-accounts/signing-key.ts";
import { ServiceAccountTokens } from "../service-accounts/tokens.ts";
import { EventLoop } from "../storage/event-loop.ts";
import { servedResources } from "../storage/served-resource.ts";
import { ObjectCache } from "../storage/stored-object.ts";
import { WatchHub } from "../watch/hub.ts";
import type { Endpoint } from "../webhooks/client-config.ts";
import { resolveService } from "../webhooks/resolve-service.ts";
import { Webhooks } from "../webhooks/webhooks.ts";

/** What can only be made once the rest is there. */
type Late = "deleteEntry" | "servePart" | "serveResource";

type Given = Pick<
  ServerContext,
  "store" | "clock" | "random" | "log" | "metrics" | "authorize" | "resourceMetrics" | "componentHealth" | "onOutdated"
>;

export interface ContextOptions extends Given {
  /** Default: the built-in resources. */
  readonly registry?: ResourceRegistry;
  readonly authority?: AuthorityPems | undefined;
  /** A private EC P-256 key in PEM. */
  readonly serviceAccountKey: string;
  readonly kubelets?: KubeletOptions;
  readonly admission?: AdmissionChoice | undefined;
  /** Of the parsed form of entries. */
  readonly cache?: ObjectCache;
  readonly authenticate: (parts: Omit<ServerContext, "authenticate" | "effects" | "offload" | Late>) => Authenticator;
  readonly offload?: (parts: Omit<ServerContext, "offload" | Late>) => Offloader;
}

/** By which tokens say who made them, and for whom unless told otherwise. */
const serviceAccountIssuer = "https://kubernetes.default.svc.cluster.local";

export function createServerContext(options: ContextOptions): ServerContext {
  const { authority, serviceAccountKey, authenticate, offload, kubelets, admission, ...given } = options;
  const { store, clock, random, log, metrics, registry = createResourceRegistry(), cache = new ObjectCache() } = given;
  const served = servedResources(registry);
  const behind = kubelets === undefined ? undefined : new Kubelets(kubelets, clock);
  const podAddresses = new PodAddresses({ store, cache, served });
  const dial = async (endpoint: Endpoint, signal: AbortSignal) => {
    const route = await endpointRoute({ store, cache, served, podAddresses }, endpoint);
    if (route !== undefined && behind === undefined) throw new Error(`node "${route.node}" has no kubelet that can be reached`);
    return route === undefined ? undefined : await behind?.dial(route, signal);
  };
  const eventLoop = new EventLoop();
  const admit = createAdmission(admission, { store, cache, served, clock, random, authorize: given.authorize });
  const { onOutdated } = given;
  const objects = new GenericRegistry({ store, cache, served, clock, random, eventLoop, admission: admit, onOutdated });
  const parts = {
    ...given,
    registry,
    served,
    cache,
    eventLoop,
    objects,
    decoder: new BodyDecoder({ served, eventLoop }),
    responses: new ResponseWriter({ cache, clock }),
    conflicts: new Conflicts({ store, cache, clock, log, metrics }),
    watches: new WatchHub({ store, cache, clock, metrics, serves: served.serves }),
    webhooks: new Webhooks({ clock, dial, resolve: (...to) => resolveService({ store, cache, served, random }, ...to) }),
    admission: admit,
    tokens: new ServiceAccountTokens(serviceAccountIssuer, readSigningKey(serviceAccountKey)),
    kubelets: behind,
    podAddresses,
    signer: new CertificateSigner({
      authority: authority === undefined ? undefined : new CertificateAuthority(authority),
      reader: { store, cache, served },
      registry: objects,
      clock,
      random,
      log,
    }),
  };
  const { resourceMetrics, componentHealth } = given;
  const { decoder, responses, watches } = parts;
  const parted = {
    get: createGet({ store, clock, responses }),
    update: createUpdate({ registry: objects, decoder, responses, clock }),
    patch: createPatch({ registry: objects, served, responses, clock }),
  };
  const servePart = createServePart(parted);
  const access = { authenticate: authenticate(parts), authorize: given.authorize, tokens: parts.tokens };
  const effects = createEffects({
    reader: { store, cache, served },
    admission: parts.admission,
    access,
    registry: objects,
    rest: { decoder, responses, servePart },
    cluster: { signer: parts.signer, kubelets: behind, resourceMetrics, componentHealth },
    clock,
    random,
  });
  const all = { ...parts, authenticate: access.authenticate, effects };
  const deleteEntry = createDeleteEntry(objects);
  const elsewhere = offload?.(all);
  const deleteAny = elsewhere === undefined ? deleteEntry : createOffloadedDelete({ deleteEntry, offload: elsewhere, served });
  const verbs: Verbs = {
    ...parted,
    list: createList({ store, cache, clock, eventLoop, responses }),
    watch: createWatch({ store, cache, clock, random, watches }),
    create: createCreate({ registry: objects, decoder, responses }),
    delete: createDelete({ registry: objects, responses }),
    deletecollection: createDeleteCollection({ store, cache, clock, eventLoop, responses, deleteEntry: deleteAny }),
  };
  const context = { ...all, offload: elsewhere, deleteEntry: deleteAny, servePart };
  const limits = elsewhere === undefined ? undefined : createInlineLimits(clock);
  const serveResource = createResourceHandler({ registry, served, verbs, effects, limits });
  return { ...context, serveResource };
}
