/** What the autoscaler remembers from one reconcile to the next. */
import { parseLabelSelector } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { defaults } from "./hpa-types.ts";
import { noHistory, type ScalingHistory } from "./scaling-history.ts";

export interface HpaKey {
  readonly namespace: string;
  readonly name: string;
}

interface Remembered extends HpaKey {
  readonly dueMs: number;
  readonly history: ScalingHistory;
  /** The selector of its target's Pods. */
  readonly selector: string | undefined;
  /** The error of the last reconcile. */
  readonly problem?: string | undefined;
}

export class HpaMemory {
  readonly #known = new Map<string, Remembered>();

  forget(key: HpaKey): void {
    this.#known.delete(idOf(key));
  }

  /**
   * Milliseconds to wait before the autoscaler is reconciled; 0 when it is due. It is due once in each sync period, whatever
   * changes in between, and the first time after a whole one.
   */
  waitMs(key: HpaKey, nowMs: number): number {
    const known = this.#known.get(idOf(key));
    const dueMs = known?.dueMs ?? nowMs + defaults.syncPeriodMs;
    if (known === undefined) this.#known.set(idOf(key), { ...key, dueMs, history: noHistory, selector: undefined });
    return Math.min(Math.max(0, dueMs - nowMs), defaults.syncPeriodMs);
  }

  reconciled(key: HpaKey, nowMs: number): void {
    this.#update(key, { dueMs: nowMs + defaults.syncPeriodMs });
  }

  historyOf(key: HpaKey): ScalingHistory {
    return this.#known.get(idOf(key))?.history ?? noHistory;
  }

  keepHistory(key: HpaKey, history: ScalingHistory): void {
    this.#update(key, { history });
  }

  keepSelector(key: HpaKey, selector: string): void {
    this.#update(key, { selector });
  }

  /** Whether the problem differs from that of the last reconcile; undefined is none. */
  isNewProblem(key: HpaKey, problem: string | undefined): boolean {
    const before = this.#known.get(idOf(key))?.problem;
    this.#update(key, { problem });
    return problem !== before;
  }

  /** The autoscalers of the namespace whose targets select any of these Pods. */
  claimants(namespace: string, pods: readonly Pod[]): readonly HpaKey[] {
    return [...this.#known.values()].filter(
      (one) => one.namespace === namespace && one.selector !== undefined && matchesAny(one.selector, pods),
    );
  }

  #update(key: HpaKey, change: Partial<Remembered>): void {
    const known = this.#known.get(idOf(key));
    if (known !== undefined) this.#known.set(idOf(key), { ...known, ...change });
  }
}

const idOf = ({ namespace, name }: HpaKey): string => `${namespace}/${name}`;

function matchesAny(text: string, pods: readonly Pod[]): boolean {
  const selector = parseLabelSelector(text);
  return pods.some(({ metadata }) => selector.matches(metadata?.labels ?? {}));
}
