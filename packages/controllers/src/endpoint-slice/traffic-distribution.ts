/**
 * Hints that keep traffic near, as `spec.trafficDistribution` of a Service asks for.
 * @see https://kep.k8s.io/4444 and https://kep.k8s.io/3015
 */
import { deepEqual } from "@coxswain/machinery";
import type { Endpoint } from "../shared/endpoint-slices/desired-endpoints.ts";
import type { EndpointSlice, SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import type { Service } from "../shared/service-pods/membership.ts";

export type TrafficDistribution = "PreferClose" | "PreferSameZone" | "PreferSameNode";

const known: readonly string[] = ["PreferClose", "PreferSameZone", "PreferSameNode"];

export function trafficDistributionOf({ spec }: Service): TrafficDistribution | undefined {
  const { trafficDistribution = "" } = spec ?? {};
  return known.includes(trafficDistribution) ? (trafficDistribution as TrafficDistribution) : undefined;
}

/** Every endpoint that is ready serves its own zone first, or its own node. */
export const withNearHints = (slices: SlicesByAction, distribution: TrafficDistribution): SlicesByAction =>
  rehint(slices, (endpoint) => (isReady(endpoint) ? nearHints(endpoint, distribution) : endpoint.hints));

export const withoutHints = (slices: SlicesByAction): SlicesByAction => rehint(slices, () => undefined);

export const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;

function nearHints({ zone, nodeName }: Endpoint, distribution: TrafficDistribution): Endpoint["hints"] {
  const forNodes = distribution === "PreferSameNode" && nodeName !== undefined ? [{ name: nodeName }] : undefined;
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  if (forNodes === undefined && forZones === undefined) return undefined;
  return { ...(forZones && { forZones }), ...(forNodes && { forNodes }) };
}

/** A slice whose hints stay as they are is written only if it would be anyway. */
function rehint(slices: SlicesByAction, hintsFor: (endpoint: Endpoint) => Endpoint["hints"]): SlicesByAction {
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => withHints(endpoint, hintsFor(endpoint))),
  });
  const isFine = ({ endpoints }: EndpointSlice): boolean =>
    (endpoints ?? []).every((endpoint) => deepEqual(endpoint.hints ?? {}, hintsFor(endpoint) ?? {}));
  return {
    create: slices.create.map(hinted),
    update: [...slices.update, ...slices.keep.filter((slice) => !isFine(slice))].map(hinted),
    keep: slices.keep.filter(isFine),
    delete: slices.delete,
  };
}

export function withHints(endpoint: Endpoint, hints: Endpoint["hints"]): Endpoint {
  const { hints: _, ...rest } = endpoint;
  return hints === undefined ? rest : { ...rest, hints };
}
