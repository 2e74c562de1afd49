/**
 * Spreads Pods over zones, nodes and other domains that nodes' labels define.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
 */
import { stateKey } from "../../framework/cycle-state.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { NodeSlots } from "../cluster-index/node-slots.ts";
import { PodGroups } from "../cluster-index/pod-groups.ts";
import { constraintsOf } from "./constraints.ts";
import { DefaultSelectors } from "./default-selector.ts";
import { eligibleDomains } from "./eligible-domains.ts";
import { isSchedulableAfterNodeChange, isSchedulableAfterPodChange } from "./hints.ts";
import { readSpreadArgs } from "./spread-args.ts";
import { type SpreadScores, spreadScoresOf } from "./spread-scores.ts";
import { type Spreading, spreadingOf } from "./spreading.ts";

const required = stateKey<Spreading>("PodTopologySpread required", (spreading) => spreading.copy());
const wanted = stateKey<SpreadScores>("PodTopologySpread wanted");

export const podTopologySpread: PluginFactory = (args, { informers, snapshot }) => {
  const { defaults, system } = readSpreadArgs(args);
  const constraints = constraintsOf(defaults, defaults.length === 0 ? undefined : new DefaultSelectors(informers));
  const groups = new PodGroups();
  const slots = new NodeSlots(groups);
  const eligible = eligibleDomains(slots);
  const indexed = { groups, slots };
  return {
    name: "PodTopologySpread",
    events: [
      {
        event: { resource: "AssignedPod", actions: ["add", "updateLabels", "delete"] },
        hint: (pod, before, after) => isSchedulableAfterPodChange(constraints(pod, "DoNotSchedule"), pod, before, after),
      },
      {
        event: { resource: "UnscheduledPod", actions: ["updateLabels", "updateTolerations"] },
        hint: (pod, before, after) => isSchedulableAfterPodChange(constraints(pod, "DoNotSchedule"), pod, before, after),
      },
      {
        event: { resource: "Node", actions: ["add", "delete", "updateLabels", "updateTaints"] },
        hint: (pod, before, after) => isSchedulableAfterNodeChange(constraints(pod, "DoNotSchedule"), pod, before, after),
      },
    ],
    preFilter: (state, pod, nodes) => {
      const hard = constraints(pod, "DoNotSchedule");
      if (hard.length === 0) return skip;
      slots.update(nodes);
      state.set(required, spreadingOf(pod, hard, eligible(pod, hard, { withAllKeys: true }), indexed));
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
    preScore: (state, pod, nodes) => {
      const soft = constraints(pod, "ScheduleAnyway");
      if (soft.length === 0) return skip;
      slots.update(snapshot());
      // What the system gives spreads over nodes even where they have no zone.
      const withAllKeys = !system || (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
      const where = eligible(pod, soft, { withAllKeys });
      state.set(wanted, spreadScoresOf({ pod, constraints: soft, eligible: where, groups, slots, candidates: nodes, withAllKeys }));
      return undefined;
    },
    score: (state, _pod, node) => state.get(wanted)?.score(node) ?? 0,
    normalizeScore: (state, _pod, scores) => state.get(wanted)?.normalize(scores),
  };
};
