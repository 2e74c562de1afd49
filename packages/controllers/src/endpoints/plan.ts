/** Endpoints as they should be, of a Service and its Pods. */
import type { coreV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import { type Endpoints, type Subset, subsetsOf } from "../shared/endpoint-slices/subsets.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { Service } from "../shared/service-pods/membership.ts";
import { withTriggerTime } from "../shared/service-pods/trigger-times.ts";

const managedByLabel = "endpoints.kubernetes.io/managed-by";
const managerName = "endpoint-controller";
const headlessLabel = "service.kubernetes.io/headless";
const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";

/** More addresses than this are left out: EndpointSlices are there for them. */
export const capacity = 1000;

export type ObservedEndpoints =
  /** The Service is gone. */
  | { readonly service: undefined; readonly current: Endpoints | undefined }
  | {
      readonly service: Service;
      /** Those that the Service selects. */
      readonly pods: readonly Pod[];
      /** When the change happened that these Endpoints answer to; undefined when no object says. */
      readonly time: string | undefined;
      readonly current: Endpoints | undefined;
    };

export type EndpointsPlan = { readonly do: "nothing" } | { readonly do: "create" | "update" | "delete"; readonly endpoints: Endpoints };

export function plan(observed: ObservedEndpoints): EndpointsPlan {
  const { service, current } = observed;
  if (service === undefined) return current === undefined ? { do: "nothing" } : { do: "delete", endpoints: current };
  const next = nextEndpoints(observed, current);
  return next === undefined ? { do: "nothing" } : { do: current === undefined ? "create" : "update", endpoints: next };
}

/** Undefined when the current ones say it all. `time` is that of the change that they answer to. */
export function nextEndpoints(
  { service, pods, time }: { readonly service: Service; readonly pods: readonly Pod[]; readonly time: string | undefined },
  current: Endpoints | undefined,
): Endpoints | undefined {
  const subsets = subsetsOf(service, pods);
  if (current !== undefined && isUpToDate(current, service, subsets)) return undefined;
  const { [overCapacityAnnotation]: _, ...annotations } = withTriggerTime(current?.metadata?.annotations, time);
  const { name = "", namespace = "" } = service.metadata ?? {};
  const kept = truncated(subsets);
  return {
    ...current,
    metadata: {
      ...(current?.metadata ?? { name, namespace }),
      labels: labelsFor(service),
      annotations: kept === subsets ? annotations : { ...annotations, [overCapacityAnnotation]: "truncated" },
    },
    subsets: kept,
  };
}

function labelsFor({ metadata, spec }: Service): Record<string, string> {
  const { [headlessLabel]: _, ...labels } = metadata?.labels ?? {};
  const isHeadless = spec?.clusterIP === undefined || spec.clusterIP === "" || spec.clusterIP === "None";
  return { ...labels, ...(isHeadless ? { [headlessLabel]: "" } : {}), [managedByLabel]: managerName };
}

function isUpToDate({ metadata, subsets }: Endpoints, service: Service, wanted: readonly Subset[]): boolean {
  if (!deepEqual((subsets ?? []).map(withoutVersions), wanted)) return false;
  const { [headlessLabel]: _, [managedByLabel]: manager, ...labels } = metadata?.labels ?? {};
  if (manager !== managerName || !deepEqual(labels, service.metadata?.labels ?? {})) return false;
  // What is over capacity is truncated, and so never what is wanted.
  return metadata?.annotations?.[overCapacityAnnotation] === undefined;
}

/** Of Pods that are referred to: older controllers wrote them. */
function withoutVersions({ addresses, notReadyAddresses, ...rest }: Subset): Subset {
  return {
    ...rest,
    ...(addresses && { addresses: addresses.map(withoutVersion) }),
    ...(notReadyAddresses && { notReadyAddresses: notReadyAddresses.map(withoutVersion) }),
  };
}

function withoutVersion({ targetRef, ...address }: coreV1.EndpointAddress): coreV1.EndpointAddress {
  const { resourceVersion: _, ...reference } = targetRef ?? {};
  return targetRef === undefined ? address : { ...address, targetRef: reference };
}

/** Each subset keeps its share; who is not ready goes first. */
function truncated(subsets: Subset[]): Subset[] {
  const count = (key: "addresses" | "notReadyAddresses"): number => subsets.reduce((sum, one) => sum + (one[key]?.length ?? 0), 0);
  const ready = count("addresses");
  const total = ready + count("notReadyAddresses");
  if (total <= capacity) return subsets;
  const key = ready > capacity ? "addresses" : "notReadyAddresses";
  const room = ready > capacity ? capacity : capacity - ready;
  let left = room;
  return subsets.map(({ notReadyAddresses, ...subset }) => {
    const all = (key === "addresses" ? subset.addresses : notReadyAddresses) ?? [];
    const kept = all.slice(0, Math.min(left, Math.ceil((all.length / count(key)) * room)));
    left -= kept.length;
    return { ...subset, ...(kept.length > 0 && { [key]: kept }) };
  });
}
