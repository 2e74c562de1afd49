/** Which nodes count for a Pod's constraints. */
import { isRepelled, type NodeTest, requiredNodes } from "@coxswain/api";
import type { Node } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Domains, TopologyDomains } from "../cluster-index/domains.ts";
import type { NodeSlots } from "../cluster-index/node-slots.ts";
import type { Constraint } from "./constraints.ts";

/** For one constraint. Shared: not to be changed. */
export interface Eligible {
  readonly domains: Domains;
  /** By slot: 1 where Pods count. */
  readonly slots: Uint8Array;
  /** By domain: 0 where any node counts, else -1. */
  readonly none: Int32Array;
  /** How many domains have a node that counts. */
  readonly size: number;
  counts(node: Node): boolean;
}

export type EligibleDomains = (
  pod: PodInfo,
  constraints: readonly Constraint[],
  options: { readonly withAllKeys: boolean },
) => readonly Eligible[];

/** Pods that are alike share the work, as long as no node changes its labels or taints. */
export function eligibleDomains(slots: NodeSlots): EligibleDomains {
  const domains = new TopologyDomains(slots);
  const known = new Map<string, Eligible>();
  let placement = -1;
  return (pod, constraints, { withAllKeys }) => {
    if (placement !== slots.placement || known.size >= maxKnown) known.clear();
    placement = slots.placement;
    const keys = withAllKeys ? constraints.map(({ topologyKey }) => topologyKey) : [];
    return constraints.map((constraint) => {
      const id = JSON.stringify([keys, constraint.topologyKey, ...policyOf(pod, constraint)]);
      let eligible = known.get(id);
      if (eligible === undefined) {
        eligible = make(slots, domains.of(constraint.topologyKey), testOf(pod, constraint, keys));
        known.set(id, eligible);
      }
      return eligible;
    });
  };
}

const maxKnown = 64;

/** All of the Pod that the test looks at. */
function policyOf({ pod }: PodInfo, { honorAffinity, honorTaints }: Constraint): readonly unknown[] {
  const { nodeSelector, affinity, tolerations } = pod.spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return [honorAffinity ? [nodeSelector, required] : 0, honorTaints ? (tolerations ?? []) : 0];
}

function testOf({ pod }: PodInfo, { honorAffinity, honorTaints }: Constraint, keys: readonly string[]): NodeTest {
  const chooses = honorAffinity ? requiredNodes(pod.spec ?? {}) : () => true;
  const repels = (node: Node): boolean => honorTaints && isRepelled(node.spec?.taints, pod.spec?.tolerations, ["NoSchedule", "NoExecute"]);
  return (node) => keys.every((key) => node.metadata?.labels?.[key] !== undefined) && chooses(node) && !repels(node);
}

function make(all: NodeSlots, domains: Domains, counts: NodeTest): Eligible {
  const slots = new Uint8Array(all.length);
  const none = new Int32Array(domains.size).fill(-1);
  for (let slot = 0; slot < slots.length; slot++) {
    const node = all.nodeAt(slot);
    if (node === undefined || !counts(node)) continue;
    slots[slot] = 1;
    const domain = domains.ofSlot[slot] ?? -1;
    if (domain >= 0) none[domain] = 0;
  }
  let size = 0;
  for (const count of none) if (count === 0) size++;
  return { domains, slots, none, size, counts };
}
