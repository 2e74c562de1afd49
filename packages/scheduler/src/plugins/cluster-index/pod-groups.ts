/**
 * Pods that no selector distinguishes, counted together: replicas differ in nothing that spreading and affinity look at,
 * so a selector is asked once for all of them, and the counts by node follow what changes.
 */
import type { LabelSelector } from "@coxswain/machinery";
import type { PodInfo } from "../../framework/pod-info.ts";
import { countSlot, type SlotCounts } from "./slot-counts.ts";

export interface PodGroup {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly terminating: boolean;
  readonly counts: SlotCounts;
}

export class PodGroups {
  readonly #byNamespace = new Map<string, Map<string, PodGroup>>();

  count(pod: PodInfo, slot: number, sign: 1 | -1): void {
    const key = keyOf(pod);
    let groups = this.#byNamespace.get(pod.namespace);
    if (groups === undefined) {
      groups = new Map();
      this.#byNamespace.set(pod.namespace, groups);
    }
    let group = groups.get(key);
    if (group === undefined) {
      group = { namespace: pod.namespace, labels: pod.labels, terminating: isTerminating(pod), counts: new Map() };
      groups.set(key, group);
    }
    countSlot(group.counts, slot, sign);
    if (group.counts.size > 0) return;
    groups.delete(key);
    if (groups.size === 0) this.#byNamespace.delete(pod.namespace);
  }

  /** `namespaces` undefined: all. */
  matching(namespaces: Iterable<string> | undefined, selector: LabelSelector): PodGroup[] {
    const found: PodGroup[] = [];
    for (const namespace of namespaces ?? this.#byNamespace.keys())
      for (const group of this.#byNamespace.get(namespace)?.values() ?? []) if (selector.matches(group.labels)) found.push(group);
    return found;
  }
}

export const isTerminating = ({ pod }: PodInfo): boolean => pod.metadata?.deletionTimestamp !== undefined;

const keyOf = (pod: PodInfo): string => (isTerminating(pod) ? "-" : "") + JSON.stringify(pod.labels);
