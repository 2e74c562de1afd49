/**
 * Distributes endpoints over the EndpointSlices that are there, writing as few of them as possible: full packing would
 * rewrite slices that every node watches.
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#distribution-of-endpointslices
 */
import type { discoveryV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import type { Endpoint } from "./desired-endpoints.ts";

export type EndpointSlice = discoveryV1.EndpointSlice;

/** `keep` is what need not be written. */
export interface SlicesByAction {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly keep: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

export const maxEndpointsPerSlice = 100;

export interface Packing {
  /** All have the same ports. */
  readonly slices: readonly EndpointSlice[];
  readonly desired: readonly Endpoint[];
  /** Without endpoints. */
  readonly newSlice: () => EndpointSlice;
  /** With the labels that it should have; undefined when it has them. */
  readonly relabelled: (slice: EndpointSlice) => EndpointSlice | undefined;
}

export function pack({ slices, desired, newSlice, relabelled }: Packing): SlicesByAction {
  const missing = new Map(desired.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const update: EndpointSlice[] = [];
  const keep: EndpointSlice[] = [];
  const remove: EndpointSlice[] = [];
  for (const slice of slices) {
    const { endpoints, changed } = stillDesired(slice, missing);
    const labelled = relabelled(slice);
    if (!changed && labelled === undefined) keep.push(slice);
    else if (changed && endpoints.length === 0) remove.push(slice);
    else update.push({ ...(labelled ?? slice), endpoints: changed ? endpoints : [...(slice.endpoints ?? [])] });
  }
  const rest = [...missing.values()];
  for (const slice of [...update].sort((a, b) => sizeOf(b) - sizeOf(a))) fill(slice, rest);
  const create: EndpointSlice[] = [];
  while (rest.length > 0) {
    const roomy = rest.length < maxEndpointsPerSlice ? tightest(keep, rest.length) : undefined;
    const slice = roomy === undefined ? newSlice() : { ...roomy, endpoints: [...(roomy.endpoints ?? [])] };
    fill(slice, rest);
    if (roomy === undefined) create.push(slice);
    else {
      keep.splice(keep.indexOf(roomy), 1);
      update.push(slice);
    }
  }
  return { create, update, keep, delete: remove };
}

/** Those of a slice that are wanted, as they are wanted; takes them out of `missing`. */
function stillDesired(slice: EndpointSlice, missing: Map<string, Endpoint>): { endpoints: Endpoint[]; changed: boolean } {
  const endpoints: Endpoint[] = [];
  let changed = false;
  for (const endpoint of slice.endpoints ?? []) {
    const key = endpointKey(endpoint);
    const wanted = missing.get(key);
    if (wanted === undefined) continue;
    missing.delete(key);
    endpoints.push(wanted);
    if (!saysTheSame(endpoint, wanted)) changed = true;
  }
  return { endpoints, changed: changed || endpoints.length !== sizeOf(slice) };
}

/** Which endpoint it is, whatever else is said of it. */
export const endpointKey = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);

/** Of the same endpoint. Hints are another matter. */
export const saysTheSame = (a: Endpoint, b: Endpoint): boolean =>
  a.nodeName === b.nodeName &&
  a.zone === b.zone &&
  deepEqual(a.conditions ?? {}, b.conditions ?? {}) &&
  deepEqual(withoutVersion(a.targetRef), withoutVersion(b.targetRef));

const withoutVersion = (reference: Endpoint["targetRef"]): Endpoint["targetRef"] => {
  const { resourceVersion: _, ...rest } = reference ?? {};
  return rest;
};

export const sizeOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0;

function fill(slice: EndpointSlice, rest: Endpoint[]): void {
  const endpoints = slice.endpoints ?? [];
  endpoints.push(...rest.splice(0, Math.max(0, maxEndpointsPerSlice - endpoints.length)));
  slice.endpoints = endpoints;
}

/** The slice that has the least room left with so many more; undefined when all would stay empty or burst. */
function tightest(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  let least = maxEndpointsPerSlice;
  let found: EndpointSlice | undefined;
  for (const slice of slices) {
    const room = maxEndpointsPerSlice - sizeOf(slice) - count;
    if (room < 0 || room >= least) continue;
    least = room;
    found = slice;
  }
  return found;
}
