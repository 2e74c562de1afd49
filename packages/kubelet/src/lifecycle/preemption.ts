/**
 * Which Pods end so that a critical one fits: as few and as unimportant as will do.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/
 */
import { podRequests, qosClass } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { isStaticPod } from "../pod/source-annotations.ts";
import { countOf, type Shortage } from "./predicate.ts";

interface Need {
  readonly resource: string;
  readonly amount: number;
}

const systemCritical = 2_000_000_000;

export const isCritical = (pod: Pod): boolean => isStaticPod(pod) || (pod.spec?.priority ?? 0) >= systemCritical;

/** @throws Error when all of them together are not enough */
export function chooseVictims(pod: Pod, shortages: readonly Shortage[], running: readonly Pod[]): Pod[] {
  const needs = shortages.map(({ resource, requested, used, capacity }) => ({ resource, amount: requested - (capacity - used) }));
  const candidates = running.filter((one) => !isCritical(one) || (one.spec?.priority ?? 0) < (pod.spec?.priority ?? 0));
  const unmet = reduce(needs, candidates);
  if (unmet.length > 0) {
    const list = unmet.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join("");
    throw new Error(`preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`);
  }
  const of = (qos: string) => candidates.filter(({ spec }) => spec !== undefined && qosClass(spec) === qos);
  const [bestEffort, burstable] = [of("BestEffort"), of("Burstable")];
  const guaranteed = nearest(of("Guaranteed"), reduce(needs, [...bestEffort, ...burstable]));
  const chosen = nearest(burstable, reduce(needs, [...bestEffort, ...guaranteed]));
  return [...nearest(bestEffort, reduce(needs, [...chosen, ...guaranteed])), ...chosen, ...guaranteed];
}

/** One after the other that which leaves least to be found, and of equal ones the smaller. */
function nearest(candidates: readonly Pod[], needs: readonly Need[]): Pod[] {
  const left = [...candidates];
  const chosen: Pod[] = [];
  for (let missing = needs; missing.length > 0 && left.length > 0; missing = reduce(needs, chosen)) {
    const ranked = left.map((pod) => ({ pod, distance: distanceTo(pod, missing) }));
    const best = ranked.reduce((a, b) => (b.distance < a.distance || (b.distance === a.distance && isSmaller(b.pod, a.pod)) ? b : a));
    chosen.push(best.pod);
    left.splice(left.indexOf(best.pod), 1);
  }
  return chosen;
}

function distanceTo(pod: Pod, needs: readonly Need[]): number {
  return needs.reduce((sum, { resource, amount }) => sum + (Math.max(0, amount - requestOf(pod, resource)) / amount) ** 2, 0);
}

function isSmaller(a: Pod, b: Pod): boolean {
  for (const resource of ["memory", "cpu"]) {
    const difference = requestOf(a, resource) - requestOf(b, resource);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

const reduce = (needs: readonly Need[], pods: readonly Pod[]): Need[] =>
  needs
    .map(({ resource, amount }) => ({ resource, amount: pods.reduce((left, pod) => left - requestOf(pod, resource), amount) }))
    .filter(({ amount }) => amount > 0);

function requestOf(pod: Pod, resource: string): number {
  if (resource === "pods") return 1;
  const quantity = podRequests(pod, { actual: false }).get(resource);
  return quantity === undefined ? 0 : countOf(resource, quantity);
}
