/** Which hints the slices of a Service get, and what is remembered of them. */
import type { ObjectRef, RecordedEvent } from "@coxswain/client";
import type { AddressType } from "../shared/endpoint-slices/desired-endpoints.ts";
import type { SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import type { Service } from "../shared/service-pods/membership.ts";
import { hintsDisabled, hintsEnabled, isOverloaded, wantsTopologyHints, withTopologyHints, type ZoneCounts } from "./topology-hints.ts";
import { trafficDistributionOf, withNearHints, withoutHints } from "./traffic-distribution.ts";

interface Noted {
  readonly ref: ObjectRef;
  readonly counts: Map<AddressType, ZoneCounts>;
}

/** How the endpoints of each Service with topology hints serve the zones: reported in Events when it begins and ends. */
export class HintLedger {
  readonly #noted = new Map<string, Noted>();

  has(service: Service): boolean {
    return this.#noted.has(keyOf(service.metadata));
  }

  note({ metadata }: Service, addressType: AddressType, counts: ZoneCounts): void {
    const key = keyOf(metadata);
    const noted = this.#noted.get(key) ?? { ref: { namespace: metadata?.namespace, name: metadata?.name ?? "" }, counts: new Map() };
    noted.counts.set(addressType, counts);
    this.#noted.set(key, noted);
  }

  forget(ref: Partial<ObjectRef> | undefined): void {
    this.#noted.delete(keyOf(ref));
  }

  /** Those that serve some zone badly now that its Nodes have changed. */
  overloaded(shares: ReadonlyMap<string, number> | undefined): ObjectRef[] {
    const all = [...this.#noted.values()];
    return all.filter(({ counts }) => [...counts.values()].some((one) => isOverloaded(one, shares))).map(({ ref }) => ref);
  }
}

const keyOf = (ref: Partial<ObjectRef> | undefined): string => `${ref?.namespace ?? ""}/${ref?.name ?? ""}`;

export interface ToHint {
  readonly addressType: AddressType;
  readonly slices: SlicesByAction;
  readonly shares: ReadonlyMap<string, number> | undefined;
}

/** The annotation goes before the field. */
export function hint(
  service: Service,
  { addressType, slices, shares }: ToHint,
  ledger: HintLedger,
): { readonly slices: SlicesByAction; readonly events: readonly RecordedEvent[] } {
  const had = ledger.has(service);
  if (wantsTopologyHints(service)) {
    const hinted = withTopologyHints(slices, shares);
    if (hinted.counts === undefined) {
      ledger.forget(service.metadata);
      return { slices: hinted.slices, events: [hintsDisabled(hinted.why ?? "", addressType)] };
    }
    ledger.note(service, addressType, hinted.counts);
    return { slices: hinted.slices, events: had ? [] : [hintsEnabled(addressType)] };
  }
  ledger.forget(service.metadata);
  const distribution = trafficDistributionOf(service);
  return {
    slices: distribution === undefined ? withoutHints(slices) : withNearHints(slices, distribution),
    events: had ? [hintsDisabled("Topology Aware Hints has been disabled", addressType)] : [],
  };
}
