/**
 * Hints that keep traffic in its zone without overloading any, for Services with the annotation
 * `service.kubernetes.io/topology-mode: Auto`: each zone gets endpoints in proportion to its CPUs.
 * @see https://kubernetes.io/docs/concepts/services-networking/topology-aware-routing/
 */
import type { RecordedEvent } from "@coxswain/client";
import type { EndpointSlice, SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import type { Service } from "../shared/service-pods/membership.ts";
import { isReady, withHints, withoutHints } from "./traffic-distribution.ts";

export function wantsTopologyHints({ metadata }: Service): boolean {
  const annotations = metadata?.annotations ?? {};
  const mode = annotations["service.kubernetes.io/topology-aware-hints"] ?? annotations["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

/** How many endpoints serve each zone. */
export type ZoneCounts = ReadonlyMap<string, number>;

export interface Hinted {
  readonly slices: SlicesByAction;
  /** Undefined when there are no hints; `why` has the reason then. */
  readonly counts?: ZoneCounts;
  readonly why?: string;
}

/** `shares` is what each zone has of all CPUs; undefined when that is unknown. */
export function withTopologyHints(slices: SlicesByAction, shares: ReadonlyMap<string, number> | undefined): Hinted {
  const total = [...slices.create, ...slices.update, ...slices.keep].flatMap(({ endpoints }) => endpoints ?? []).filter(isReady).length;
  const allocations = allocate(total, shares);
  if (typeof allocations === "string") return { slices: withoutHints(slices), why: allocations };
  const counts = new Map<string, number>();
  const keep = slices.keep.filter((slice) => countKept(slice, counts, allocations));
  const written = [...slices.create, ...slices.update, ...slices.keep.filter((slice) => !keep.includes(slice))];
  if (written.some(({ endpoints }) => endpoints?.some((endpoint) => isReady(endpoint) && !endpoint.zone)))
    return { slices: withoutHints(slices), why: "One or more endpoints do not have a zone specified" };
  const give = exchange(allocations, counts, written);
  const hinted = written.map((slice) => hintEach(slice, give, counts));
  if (counts.size === 0) return { slices: withoutHints(slices), why: "No hints allocated for zones" };
  const created = slices.create.length;
  return { slices: { ...slices, create: hinted.slice(0, created), update: hinted.slice(created), keep }, counts };
}

interface Allocation {
  readonly desired: number;
  readonly maximum: number;
}

/** No zone may have to bear more than a fifth over its share. */
const overload = 0.2;

const leastOf = (endpoints: number, share: number): number => Math.ceil(endpoints * share * (1 / (1 + overload)));

/** Why not, when it is not possible. */
function allocate(endpoints: number, shares: ReadonlyMap<string, number> | undefined): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined) return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`;
  const least = new Map(Array.from(shares, ([zone, share]) => [zone, leastOf(endpoints, share)]));
  const spare = [...least.values()].reduce((rest, minimum) => rest - minimum, endpoints);
  if (spare < 0) return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
  return new Map(
    Array.from(shares, ([zone, share]) => {
      const minimum = least.get(zone) ?? 0;
      return [zone, { desired: Math.max(share * endpoints, minimum), maximum: minimum + spare }];
    }),
  );
}

/** Whether a slice may stay as it is; if so its hints are counted. */
function countKept(slice: EndpointSlice, counts: Map<string, number>, allocations: ReadonlyMap<string, Allocation>): boolean {
  const own = new Map<string, number>();
  for (const { hints } of (slice.endpoints ?? []).filter(isReady)) {
    const zones = (hints?.forZones ?? []).map(({ name }) => name);
    if (zones.length === 0) return false;
    for (const zone of zones) own.set(zone, (own.get(zone) ?? 0) + 1);
  }
  const fits = Array.from(own, ([zone, count]) => count + (counts.get(zone) ?? 0) <= (allocations.get(zone)?.maximum ?? -1));
  if (fits.includes(false)) return false;
  for (const [zone, count] of own) counts.set(zone, (counts.get(zone) ?? 0) + count);
  return true;
}

interface Exchange {
  /** How many endpoints each zone has too many, and how many too few. */
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/** After every endpoint has been counted for its own zone. */
function exchange(allocations: ReadonlyMap<string, Allocation>, counts: Map<string, number>, written: readonly EndpointSlice[]): Exchange {
  for (const { zone = "" } of written.flatMap(({ endpoints }) => endpoints ?? []).filter(isReady))
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const surplus = new Map(Array.from(allocations, ([zone, { desired }]) => [zone, (counts.get(zone) ?? 0) - desired]));
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const [[from, most] = ["", 0]] = [...surplus].sort(([, a], [, b]) => b - a);
    const [[to, least] = ["", 0]] = [...surplus].sort(([, a], [, b]) => a - b);
    if (most <= 0 || least >= 0 || (most < 1 && -least < 1) || most < 0.5 || -least < 0.5) return { giving, receiving };
    giving.set(from, (giving.get(from) ?? 0) + 1);
    receiving.set(to, (receiving.get(to) ?? 0) + 1);
    surplus.set(from, most - 1);
    surplus.set(to, least + 1);
  }
}

/** For its own zone, or for one that has too few while its own has too many. */
function hintEach(slice: EndpointSlice, { giving, receiving }: Exchange, counts: Map<string, number>): EndpointSlice {
  const endpoints = (slice.endpoints ?? []).map((endpoint) => {
    if (!isReady(endpoint)) return endpoint;
    const { zone = "" } = endpoint;
    const [to] = (giving.get(zone) ?? 0) > 0 ? receiving.keys() : [];
    if (to === undefined) return withHints(endpoint, { forZones: [{ name: zone }] });
    for (const [zones, name] of [
      [giving, zone],
      [receiving, to],
    ] as const) {
      const rest = (zones.get(name) ?? 0) - 1;
      if (rest > 0) zones.set(name, rest);
      else zones.delete(name);
    }
    counts.set(zone, (counts.get(zone) ?? 0) - 1);
    counts.set(to, (counts.get(to) ?? 0) + 1);
    return withHints(endpoint, { forZones: [{ name: to }] });
  });
  return { ...slice, endpoints };
}

/** Whether a zone has too few endpoints for its share by now. */
export function isOverloaded(counts: ZoneCounts, shares: ReadonlyMap<string, number> | undefined): boolean {
  if (counts.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return Array.from(shares).some(([zone, share]) => !counts.has(zone) || (counts.get(zone) ?? 0) < leastOf(total, share));
}

export const hintsDisabled = (why: string, addressType: string): RecordedEvent => ({
  type: "Warning",
  reason: "TopologyAwareHintsDisabled",
  message: `${why}, addressType: ${addressType}`,
});

export const hintsEnabled = (addressType: string): RecordedEvent => ({
  type: "Normal",
  reason: "TopologyAwareHintsEnabled",
  message: `Topology Aware Hints has been enabled, addressType: ${addressType}`,
});
