/** How unevenly Pods would stand if one more came to a node. */

import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";
import type { NodeSlots } from "../cluster-index/node-slots.ts";
import { isTerminating, type PodGroups } from "../cluster-index/pod-groups.ts";
import { sumBySlot } from "../cluster-index/slot-counts.ts";
import type { Constraint } from "./constraints.ts";
import type { Eligible } from "./eligible-domains.ts";

const uneven = unschedulable("node(s) didn't match pod topology spread constraints");
const nowhere = unschedulableAndUnresolvable("node(s) didn't match pod topology spread constraints (missing required label)");

interface Spread {
  readonly constraint: Constraint;
  readonly where: Eligible;
  /** By domain; -1: it does not count. */
  readonly counts: Int32Array;
  /** 1 when the Pod counts itself. */
  readonly self: 0 | 1;
  /** Of any domain that counts; undefined: to be found again. */
  least: number | undefined;
}

/** What one Pod requires, with the Pods that are there. */
export class Spreading {
  readonly #namespace: string;
  readonly #spreads: readonly Spread[];

  constructor(namespace: string, spreads: readonly Spread[]) {
    this.#namespace = namespace;
    this.#spreads = spreads;
  }

  copy(): Spreading {
    return new Spreading(
      this.#namespace,
      this.#spreads.map((spread) => ({ ...spread, counts: spread.counts.slice() })),
    );
  }

  judge({ labels }: NodeInfo): Status | undefined {
    for (const spread of this.#spreads) {
      const { constraint, where, counts, self } = spread;
      const value = labels[constraint.topologyKey];
      if (value === undefined) return nowhere;
      const there = Math.max(counts[where.domains.idOf.get(value) ?? -1] ?? 0, 0);
      const least = where.size < constraint.minDomains ? 0 : leastOf(spread);
      if (there + self - least > constraint.maxSkew) return uneven;
    }
    return undefined;
  }

  /** A Pod comes to the node or leaves it, in thought. */
  move(moved: PodInfo, { node, labels }: NodeInfo, sign: 1 | -1): void {
    if (moved.namespace !== this.#namespace || isTerminating(moved)) return;
    for (const spread of this.#spreads) {
      const { constraint, where, counts } = spread;
      const domain = where.domains.idOf.get(labels[constraint.topologyKey] ?? "");
      if (domain === undefined || !where.counts(node) || !constraint.selector.matches(moved.labels)) continue;
      counts[domain] = Math.max(counts[domain] ?? 0, 0) + sign;
      spread.least = undefined;
    }
  }
}

export function spreadingOf(
  pod: PodInfo,
  constraints: readonly Constraint[],
  eligible: readonly Eligible[],
  { groups, slots }: { readonly groups: PodGroups; readonly slots: Pick<NodeSlots, "length"> },
): Spreading {
  const spreads = constraints.flatMap((constraint, i) => {
    const where = eligible[i];
    if (where === undefined) return [];
    const counts = where.none.slice();
    addTo(counts, countsBySlot(groups, pod.namespace, constraint, slots.length), where);
    return { constraint, where, counts, self: constraint.selector.matches(pod.labels) ? (1 as const) : (0 as const), least: undefined };
  });
  return new Spreading(pod.namespace, spreads);
}

/** Pods that match, by slot. Those on their way out do not count, and for Kubernetes an empty selector matches none here. */
export function countsBySlot(groups: PodGroups, namespace: string, { selector }: Constraint, slots: number): Int32Array {
  if (selector.empty) return new Int32Array(slots);
  return sumBySlot(
    groups.matching([namespace], selector).filter(({ terminating }) => !terminating),
    slots,
  );
}

/** By domain, where they count. */
export function addTo(counts: Int32Array, bySlot: Int32Array, { domains, slots }: Eligible): void {
  for (let slot = 0; slot < bySlot.length; slot++) {
    const count = bySlot[slot] ?? 0;
    if (count === 0 || slots[slot] !== 1) continue;
    const domain = domains.ofSlot[slot] ?? -1;
    if (domain >= 0) counts[domain] = (counts[domain] ?? 0) + count;
  }
}

function leastOf(spread: Spread): number {
  if (spread.least !== undefined) return spread.least;
  let least = Number.POSITIVE_INFINITY;
  for (const count of spread.counts) if (count >= 0 && count < least) least = count;
  spread.least = least;
  return least;
}
