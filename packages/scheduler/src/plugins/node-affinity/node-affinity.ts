/**
 * Keeps Pods to nodes that they choose by labels and names, and prefers those that they would rather have.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
import { type coreV1, type NodeTest, requiredNodes } from "@coxswain/api";
import { stateKey } from "../../framework/cycle-state.ts";
import { type PluginFactory, type PreFilterResult, skip } from "../../framework/plugin.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { type Status, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { nodeOf } from "../event-objects.ts";
import { normalizeByLargest } from "../normalize.ts";
import { type Preference, preferencesOf, readNodeAffinityArgs } from "./preferences.ts";

const notChosen = unschedulableAndUnresolvable("node(s) didn't match Pod's node affinity/selector");
const notEnforced = unschedulableAndUnresolvable("node(s) didn't match scheduler-enforced node affinity");
const contradiction = unschedulableAndUnresolvable("pod affinity terms conflict");

const required = stateKey<NodeTest>("NodeAffinity required");
const preferred = stateKey<readonly Preference[]>("NodeAffinity preferred");

export const nodeAffinity: PluginFactory = (args) => {
  const added = readNodeAffinityArgs(args);
  return {
    name: "NodeAffinity",
    events: [
      {
        event: { resource: "Node", actions: ["add", "updateLabels"] },
        hint: ({ pod }, before, after) => {
          const [was, is] = [nodeOf(before), nodeOf(after)];
          const chooses = requiredNodes(pod.spec ?? {});
          const fits = (node: ReturnType<typeof nodeOf>): boolean =>
            node !== undefined && added.required?.(node) !== false && chooses(node);
          return fits(is) && !fits(was);
        },
      },
    ],
    preFilter: (state, { pod }) => {
      const terms = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
      if (terms === undefined && added.required === undefined && pod.spec?.nodeSelector === undefined) return skip;
      state.set(required, requiredNodes(pod.spec ?? {}));
      return namedNodes(terms ?? []);
    },
    filter: (state, { pod }, { node }) => {
      if (added.required?.(node) === false) return notEnforced;
      const chooses = state.get(required) ?? requiredNodes(pod.spec ?? {});
      return chooses(node) ? undefined : notChosen;
    },
    preScore: (state, { pod }) => {
      const all = [...added.preferred, ...preferencesOf(preferredTermsOf(pod))];
      if (all.length === 0) return skip;
      state.set(preferred, all);
      return undefined;
    },
    score: (state, _pod, { node }) => {
      let sum = 0;
      for (const { weight, chooses } of state.get(preferred) ?? []) if (chooses(node)) sum += weight;
      return sum;
    },
    normalizeScore: (_state, _pod, scores) => normalizeByLargest(scores),
  };
};

const preferredTermsOf = ({ spec }: Pod): readonly coreV1.PreferredSchedulingTerm[] =>
  spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];

/** Where every term names nodes, no others need be asked. */
function namedNodes(terms: readonly coreV1.NodeSelectorTerm[]): PreFilterResult | Status | undefined {
  if (terms.length === 0) return undefined;
  const nodes = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In").map(({ values = [] }) => values);
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((list) => list.includes(name))) nodes.add(name);
  }
  return nodes.size === 0 ? contradiction : { nodes };
}
