import { endpointSlices, type Indexes, type ObjectRef, type ReconcileContext, services } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import { managedByLabel, serviceNameLabel } from "../shared/endpoint-slices/labels.ts";
import type { EndpointSlice } from "../shared/endpoint-slices/pack.ts";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import { mirrorName, type ObservedMirror } from "./plan.ts";

export function observe(ref: ObjectRef, { object, cache }: ReconcileContext<Endpoints>): ObservedMirror {
  const service = cache(services).get(ref);
  const isMirrored = object !== undefined && mayMirror(object) && service !== undefined && !hasSelector(service);
  return { endpoints: isMirrored ? object : undefined, slices: cache(endpointSlices).byIndex(byEndpoints, keyOf(ref)) };
}

const byEndpoints = "mirrored endpoints";

export const theEndpoints = ({ metadata }: EndpointSlice): readonly ObjectRef[] => {
  const { namespace, labels } = metadata ?? {};
  const name = labels?.[serviceNameLabel] ?? "";
  return name === "" || labels?.[managedByLabel] !== mirrorName ? [] : [{ namespace, name }];
};

const keyOf = ({ namespace = "", name }: ObjectRef): string => `${namespace}/${name}`;

export const sliceIndexes: Indexes<EndpointSlice> = { [byEndpoints]: (slice) => theEndpoints(slice).map(keyOf) };

/** Not leader election locks, nor Endpoints that say that they have slices. */
export const mayMirror = ({ metadata }: KubeObject): boolean =>
  metadata?.labels?.["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
  metadata?.annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined;

export interface Selecting extends KubeObject {
  spec?: { selector?: Record<string, string> };
}

export const hasSelector = ({ spec }: Selecting): boolean => spec?.selector !== undefined && Object.keys(spec.selector).length > 0;
