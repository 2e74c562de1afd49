import {
  type api,
  type Controller,
  controller,
  done,
  endpointSlices,
  exponentialBackoff,
  isNamespaceTerminating,
  maxOfRateLimiters,
  nodes,
  type ObjectRef,
  type Outcome,
  pods,
  type ReconcileContext,
  type ResourceClient,
  services,
  sharedBucket,
  unlessNotFound,
  watching,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { managedByLabel, managerName, serviceNameLabel } from "../shared/endpoint-slices/labels.ts";
import type { EndpointSlice, SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import { byNode } from "../shared/pods/by-node.ts";
import { hasEndpointsOfPods, podsBehindServices, type Service, selects, servicesOf } from "../shared/service-pods/membership.ts";
import { TriggerTimes, withTriggerTime } from "../shared/service-pods/trigger-times.ts";
import { HintLedger, hint } from "./hinting.ts";
import { planSlices } from "./plan.ts";
import { wantsTopologyHints } from "./topology-hints.ts";
import { zoneShares } from "./zone-shares.ts";

/** Tells in EndpointSlices which Pods stand behind each Service, and which of them are ready. */
export const endpointSliceController: BuiltInController = {
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  make: ({ client }) => [
    tellingSlices(() => maxOfRateLimiters(exponentialBackoff({ baseMs: 1000 }), sharedBucket({ clock: client.clock }))),
  ],
};

const byService = "service";

function tellingSlices(rateLimiter: NonNullable<Controller["rateLimiter"]>): Controller {
  const memory = { times: new TriggerTimes(), ledger: new HintLedger() };
  return controller<Service>({
    name: "endpointslice-controller",
    component: "endpoint-slice-controller",
    for: services,
    watches: [
      podsBehindServices(),
      watching(endpointSlices, theService, { indexes: { [byService]: (slice) => theService(slice).map(keyOf) } }),
      watching(
        nodes,
        (node, change, { main, cache }) => {
          if (change.type === "added" && change.initial) return [];
          const here = cache(pods).byIndex(byNode, node.metadata?.name ?? "");
          const behind = here.flatMap((pod) => servicesOf(pod, main().list({ namespace: pod.metadata?.namespace })));
          return [...behind, ...memory.ledger.overloaded(zoneShares(cache(nodes).list()))];
        },
        { predicate: (change) => change.type !== "updated" || !deepEqual(placeOf(change.previous), placeOf(change.object)) },
      ),
    ],
    concurrency: 5,
    rateLimiter,
    reconcile: (ref, ctx) => reconcileService(ref, ctx, memory),
  });
}

/** What counts of a Node: where it is, and what it has to offer there. */
const placeOf = ({ metadata, status }: api.coreV1.Node): unknown => [
  metadata?.labels,
  status?.allocatable?.cpu,
  status?.conditions?.find(({ type }) => type === "Ready")?.status,
];

/** That of the Service, for slices that are this controller's. */
function theService({ metadata }: EndpointSlice): readonly ObjectRef[] {
  const { namespace, labels } = metadata ?? {};
  const name = labels?.[serviceNameLabel] ?? "";
  return name === "" || labels?.[managedByLabel] !== managerName ? [] : [{ namespace, name }];
}

const keyOf = ({ namespace = "", name }: ObjectRef): string => `${namespace}/${name}`;

interface Memory {
  readonly times: TriggerTimes;
  readonly ledger: HintLedger;
}

async function reconcileService(ref: ObjectRef, ctx: ReconcileContext<Service>, { times, ledger }: Memory): Promise<Outcome> {
  const { object: service, cache, events } = ctx;
  if (service === undefined) {
    times.forget(ref);
    ledger.forget(ref);
    return done;
  }
  if (!hasEndpointsOfPods(service)) return done;
  const behind = cache(pods)
    .list({ namespace: ref.namespace })
    .filter(({ metadata }) => selects(service, metadata?.labels));
  const time = times.next(service, behind);
  const nodeNamed = (name: string) => cache(nodes).get({ name });
  const existing = cache(endpointSlices)
    .byIndex(byService, keyOf(ref))
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const plan = planSlices({ service, pods: behind.sort(byName), nodeNamed }, existing);
  const shares = wantsTopologyHints(service) ? zoneShares(cache(nodes).list()) : undefined;
  try {
    for (const { addressType, slices } of plan.byType) {
      const { slices: hinted, events: told } = hint(service, { addressType, slices, shares }, ledger);
      await write(hinted, { service, time, ctx });
      for (const event of told) events.record(service, event, services);
    }
    await write({ create: [], update: [], keep: [], delete: plan.foreign }, { service, time, ctx });
  } catch (error) {
    if (isNamespaceTerminating(error)) return done;
    const message = `Error updating Endpoint Slices for Service ${keyOf(ref)}: ${error instanceof Error ? error.message : error}`;
    events.record(service, { type: "Warning", reason: "FailedToUpdateEndpointSlices", message }, services);
    throw error;
  }
  return done;
}

const byName = (a: { metadata?: { name?: string } }, b: { metadata?: { name?: string } }): number =>
  (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;

interface Writing {
  readonly service: Service;
  readonly time: string | undefined;
  readonly ctx: ReconcileContext<Service>;
}

async function write(slices: SlicesByAction, { service, time, ctx: { client, signal } }: Writing): Promise<void> {
  const resource = client.resource(endpointSlices, service.metadata?.namespace);
  const timed = ({ metadata, ...slice }: EndpointSlice): EndpointSlice => ({
    ...slice,
    metadata: { ...metadata, annotations: withTriggerTime(metadata?.annotations, time) },
  });
  // Whoever collects the garbage would otherwise find new slices of a Service that goes.
  const isGoing = service.metadata?.deletionTimestamp !== undefined;
  for (const slice of isGoing ? [] : slices.create) await resource.create(timed(slice), { signal });
  for (const slice of slices.update) await resource.update(timed(slice), { signal });
  for (const slice of slices.delete) await remove(resource, slice, signal);
}

async function remove(resource: ResourceClient<EndpointSlice>, { metadata }: EndpointSlice, signal: AbortSignal): Promise<void> {
  const { name = "", uid } = metadata ?? {};
  const deleted = resource.delete(name, { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  await unlessNotFound(deleted, endpointSlices, name);
}
