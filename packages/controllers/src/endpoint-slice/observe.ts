import { endpointSlices, nodes, type ObjectRef, pods, type ReconcileContext } from "@coxswain/client";
import { managedByLabel, managerName, serviceNameLabel } from "../shared/endpoint-slices/labels.ts";
import type { EndpointSlice } from "../shared/endpoint-slices/pack.ts";
import { hasEndpointsOfPods, type Service, selects } from "../shared/service-pods/membership.ts";
import type { TriggerTimes } from "../shared/service-pods/trigger-times.ts";
import type { HintLedger } from "./hinting.ts";
import type { ObservedService } from "./plan.ts";
import { wantsTopologyHints } from "./topology-hints.ts";
import { zoneShares } from "./zone-shares.ts";

/** What the controller remembers of Services from one reconcile to the next. */
export interface ServiceMemory {
  readonly times: TriggerTimes;
  readonly ledger: HintLedger;
}

/** Undefined for a Service that is gone, or whose slices are not this controller's. */
export function observe(ref: ObjectRef, ctx: ReconcileContext<Service>, { times, ledger }: ServiceMemory): ObservedService | undefined {
  const { object: service, cache } = ctx;
  if (service === undefined) {
    times.forget(ref);
    ledger.forget(ref);
    return undefined;
  }
  if (!hasEndpointsOfPods(service)) return undefined;
  const selected = cache(pods)
    .list({ namespace: ref.namespace })
    .filter(({ metadata }) => selects(service, metadata?.labels));
  return {
    service,
    time: times.next(service, selected),
    pods: selected.sort(byName),
    nodeNamed: (name) => cache(nodes).get({ name }),
    slices: cache(endpointSlices)
      .byIndex(byService, sliceKeyOf(ref))
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined),
    shares: wantsTopologyHints(service) ? zoneShares(cache(nodes).list()) : undefined,
  };
}

const byName = (a: { metadata?: { name?: string } }, b: { metadata?: { name?: string } }): number =>
  (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;

/** The index of EndpointSlices by their Service. */
export const byService = "service";

/** The Service of a slice of this controller. */
export function theService({ metadata }: EndpointSlice): readonly ObjectRef[] {
  const { namespace, labels } = metadata ?? {};
  const name = labels?.[serviceNameLabel] ?? "";
  return name === "" || labels?.[managedByLabel] !== managerName ? [] : [{ namespace, name }];
}

export const sliceKeyOf = ({ namespace = "", name }: ObjectRef): string => `${namespace}/${name}`;
