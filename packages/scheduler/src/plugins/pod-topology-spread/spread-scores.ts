/** Scores for how few Pods there are where a node is: the more the better. */
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import type { NodeSlots } from "../cluster-index/node-slots.ts";
import type { PodGroups } from "../cluster-index/pod-groups.ts";
import { maxScore } from "../normalize.ts";
import type { Constraint } from "./constraints.ts";
import type { Eligible } from "./eligible-domains.ts";
import { addTo, countsBySlot } from "./spreading.ts";

interface SpreadScore {
  readonly key: string;
  readonly maxSkew: number;
  /** Larger where there are more domains, which makes Pods in each rarer. */
  readonly weight: number;
  readonly countOn: (node: NodeInfo, value: string) => number;
}

export interface SpreadScores {
  /** The smaller the better; -1: does not count. */
  score(node: NodeInfo): number;
  normalize(scores: Float64Array): void;
}

export interface SpreadScoreInputs {
  readonly pod: PodInfo;
  readonly constraints: readonly Constraint[];
  /** By constraint. */
  readonly eligible: readonly Eligible[];
  readonly groups: PodGroups;
  readonly slots: NodeSlots;
  readonly candidates: readonly NodeInfo[];
  /** Whether a node without one of the keys is no candidate. */
  readonly withAllKeys: boolean;
}

const hostname = "kubernetes.io/hostname";

export function spreadScoresOf(inputs: SpreadScoreInputs): SpreadScores {
  const { constraints, withAllKeys } = inputs;
  const isLeftOut = ({ labels }: NodeInfo): boolean =>
    withAllKeys && constraints.some(({ topologyKey }) => labels[topologyKey] === undefined);
  const candidates = inputs.candidates.filter((node) => !isLeftOut(node));
  const parts = constraints.map((constraint, i) => partOf(constraint, inputs.eligible[i], candidates, inputs));
  return {
    score: (node) => {
      if (isLeftOut(node)) return -1;
      let score = 0;
      for (const { key, maxSkew, weight, countOn } of parts) {
        const value = node.labels[key];
        if (value !== undefined) score += countOn(node, value) * weight + (maxSkew - 1);
      }
      return Math.round(score);
    },
    normalize,
  };
}

function partOf(
  constraint: Constraint,
  where: Eligible | undefined,
  candidates: readonly NodeInfo[],
  { groups, pod, slots }: SpreadScoreInputs,
): SpreadScore {
  const key = constraint.topologyKey;
  const bySlot = countsBySlot(groups, pod.namespace, constraint, slots.length);
  const common = { key, maxSkew: constraint.maxSkew };
  if (key === hostname)
    return { ...common, weight: Math.log(candidates.length + 2), countOn: ({ name }) => bySlot[slots.slotOf(name) ?? -1] ?? 0 };
  // A node without the label is in a domain of its own kind.
  const domains = new Set(candidates.map(({ labels }) => labels[key]));
  const counts = new Int32Array(where?.domains.size ?? 0);
  if (where !== undefined) addTo(counts, bySlot, where);
  return { ...common, weight: Math.log(domains.size + 2), countOn: (_, value) => counts[where?.domains.idOf.get(value) ?? -1] ?? 0 };
}

function normalize(scores: Float64Array): void {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const score of scores) {
    if (score < 0) continue;
    if (score < least) least = score;
    if (score > most) most = score;
  }
  for (const [i, score] of scores.entries())
    scores[i] = score < 0 ? 0 : most === 0 ? maxScore : Math.trunc((maxScore * (most + least - score)) / most);
}
