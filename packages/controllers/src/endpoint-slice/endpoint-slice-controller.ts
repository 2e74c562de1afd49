import {
  type api,
  type Controller,
  controller,
  done,
  endpointSlices,
  exponentialBackoff,
  maxOfRateLimiters,
  nodes,
  pods,
  services,
  sharedBucket,
  watching,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { byNode } from "../shared/pods/by-node.ts";
import { podsBehindServices, type Service, servicesOf } from "../shared/service-pods/membership.ts";
import { TriggerTimes } from "../shared/service-pods/trigger-times.ts";
import { act } from "./act.ts";
import { HintLedger } from "./hinting.ts";
import { byService, observe, type ServiceMemory, sliceKeyOf, theService } from "./observe.ts";
import { plan } from "./plan.ts";
import { zoneShares } from "./zone-shares.ts";

/**
 * The endpointslice-controller writes EndpointSlices with the Pods of each Service that has a selector.
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export const endpointSliceController: BuiltInController = {
  name: "endpointslice-controller",
  serviceAccount: "endpointslice-controller",
  aliases: ["endpointslice"],
  make: ({ client }) => [
    slicesOfServices(() => maxOfRateLimiters(exponentialBackoff({ baseMs: 1000 }), sharedBucket({ clock: client.clock }))),
  ],
};

function slicesOfServices(rateLimiter: NonNullable<Controller["rateLimiter"]>): Controller {
  const memory: ServiceMemory = { times: new TriggerTimes(), ledger: new HintLedger() };
  return controller<Service>({
    name: "endpointslice-controller",
    component: "endpoint-slice-controller",
    for: services,
    watches: [
      podsBehindServices(),
      watching(endpointSlices, theService, { indexes: { [byService]: (slice) => theService(slice).map(sliceKeyOf) } }),
      watching(
        nodes,
        (node, change, { main, cache }) => {
          if (change.type === "added" && change.initial) return [];
          const here = cache(pods).byIndex(byNode, node.metadata?.name ?? "");
          const behind = here.flatMap((pod) => servicesOf(pod, main().list({ namespace: pod.metadata?.namespace })));
          return [...behind, ...memory.ledger.overloaded(zoneShares(cache(nodes).list()))];
        },
        { predicate: (change) => change.type !== "updated" || !deepEqual(relevantFields(change.previous), relevantFields(change.object)) },
      ),
    ],
    concurrency: 5,
    rateLimiter,
    reconcile: async (ref, ctx) => {
      const observed = observe(ref, ctx, memory);
      if (observed !== undefined) await act(ctx, observed, plan(observed), memory.ledger);
      return done;
    },
  });
}

/** Fields of a Node that endpoints and hints depend on. */
const relevantFields = ({ metadata, status }: api.coreV1.Node): unknown => [
  metadata?.labels,
  status?.allocatable?.cpu,
  status?.conditions?.find(({ type }) => type === "Ready")?.status,
];
