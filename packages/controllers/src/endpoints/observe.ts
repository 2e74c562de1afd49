import { endpoints, type ObjectRef, pods, type ReconcileContext } from "@coxswain/client";
import { hasEndpointsOfPods, type Service, selects } from "../shared/service-pods/membership.ts";
import type { TriggerTimes } from "../shared/service-pods/trigger-times.ts";
import type { ObservedEndpoints } from "./plan.ts";

/** Undefined for a Service whose Endpoints are not this controller's. */
export function observe(
  ref: ObjectRef,
  { object: service, cache }: ReconcileContext<Service>,
  times: TriggerTimes,
): ObservedEndpoints | undefined {
  const current = cache(endpoints).get(ref);
  if (service === undefined) {
    times.forget(ref);
    return { service, current };
  }
  if (!hasEndpointsOfPods(service)) return undefined;
  const selected = cache(pods)
    .list({ namespace: ref.namespace })
    .filter(({ metadata }) => selects(service, metadata?.labels));
  return { service, pods: selected, time: times.next(service, selected), current };
}
