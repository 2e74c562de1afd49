/**
 * Keeps Pods near to some others and away from some, and prefers nodes where they would rather be.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
 */
import { namespaces } from "@coxswain/client";
import { stateKey } from "../../framework/cycle-state.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { maxScore } from "../normalize.ts";
import { readAffinityArgs } from "./affinity-args.ts";
import { AffinityIndex } from "./affinity-index.ts";
import { attractionOf } from "./attraction.ts";
import type { DomainCounts } from "./domain-counts.ts";
import { isSchedulableAfterNodeChange, podChangeHint } from "./hints.ts";
import { type Requirements, requirementsOf } from "./requirements.ts";
import type { NamespaceLabels } from "./terms.ts";

const required = stateKey<Requirements>("InterPodAffinity required", (requirements) => requirements.copy());
const preferred = stateKey<DomainCounts>("InterPodAffinity preferred");

export const interPodAffinity: PluginFactory = (args, { informers, snapshot }) => {
  const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = readAffinityArgs(args);
  const { lister } = informers.use(namespaces).informer;
  const labels: NamespaceLabels = {
    of: (namespace) => lister.get({ name: namespace })?.metadata?.labels,
    matching: (labelSelector) => lister.list({ labelSelector }).map(({ metadata }) => metadata?.name ?? ""),
  };
  const index = new AffinityIndex(hardPodAffinityWeight);
  return {
    name: "InterPodAffinity",
    events: [
      { event: { resource: "AssignedPod", actions: ["add", "updateLabels", "delete"] }, hint: podChangeHint() },
      { event: { resource: "UnscheduledPod", actions: ["updateLabels"] } },
      { event: { resource: "Node", actions: ["add", "updateLabels"] }, hint: isSchedulableAfterNodeChange },
    ],
    preFilter: (state, pod, nodes) => {
      const asks = pod.requiredAffinity.length + pod.requiredAntiAffinity.length > 0;
      if (!index.isUsed(asks, nodes)) return skip;
      index.update(nodes);
      const requirements = requirementsOf(pod, index, labels);
      if (requirements === undefined) return skip;
      state.set(required, requirements);
      return undefined;
    },
    addPod: (state, _pod, added, node) => {
      state.get(required)?.move(added, node, 1);
      return undefined;
    },
    removePod: (state, _pod, removed, node) => {
      state.get(required)?.move(removed, node, -1);
      return undefined;
    },
    filter: (state, _pod, node) => state.get(required)?.judge(node),
    preScore: (state, pod) => {
      const nodes = snapshot();
      const asks = pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0;
      if ((!asks && ignorePreferredTermsOfExistingPods) || !index.isUsed(asks, nodes)) return skip;
      index.update(nodes);
      const attraction = attractionOf(pod, index, labels);
      if (attraction.isEmpty) return skip;
      state.set(preferred, attraction);
      return undefined;
    },
    score: (state, _pod, node) => state.get(preferred)?.sumAt(node) ?? 0,
    normalizeScore: (_state, _pod, scores) => spreadOut(scores),
  };
};

/** In place: the least becomes 0 and the most 100; all 0 when they are equal. */
function spreadOut(scores: Float64Array): void {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  for (const [i, score] of scores.entries()) scores[i] = most > least ? Math.trunc(maxScore * ((score - least) / (most - least))) : 0;
}
