/**
 * Makes room for a Pod that fits nowhere by ending less important ones.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
import { podDisruptionBudgets } from "@coxswain/client";
import { field } from "@coxswain/machinery";
import type { CycleState } from "../../framework/cycle-state.ts";
import type { Victims } from "../../framework/extender.ts";
import { countReasons, fitMessage } from "../../framework/fit-message.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { NodeVerdicts, PluginFactory, PluginHandle, PostFilterVerdict } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { failed, unresolvable, unschedulable, type Verdict } from "../../framework/verdict.ts";
import { checkRange, refuseAny } from "../plugin-args.ts";
import { askExtenders } from "./ask-extenders.ts";
import { type Guard, guardsOf } from "./budgets.ts";
import { Evictions, isBeingPreempted } from "./evictions.ts";
import { pickNode } from "./pick-node.ts";
import { selectVictims } from "./select-victims.ts";

export interface PreemptionArgs {
  /** Of the nodes that might do, this share is tried at least, */
  readonly minCandidateNodesPercentage: number;
  /** and as many as this. */
  readonly minCandidateNodesAbsolute: number;
}

const underWay = unresolvable("waiting for the preemption for this pod to be finished");

export const defaultPreemption: PluginFactory = (given, handle) => {
  const args = preemptionArgs(given);
  const evictions = new Evictions(handle);
  const budgets = handle.informers.use(podDisruptionBudgets).informer.lister;
  return {
    name: "DefaultPreemption",
    // Whatever refused the Pod knows which end of a Pod helps it.
    events: [{ event: { resource: "AssignedPod", actions: ["delete"] }, hint: () => false }],
    preEnqueue: ({ uid }) => (evictions.isUnderWay(uid) ? underWay : undefined),
    async postFilter(state, pod, verdicts, signal) {
      const why = ineligible(pod, verdicts, handle);
      if (why !== undefined) return unschedulable(`preemption: ${why}`);
      const found = dryRun(state, pod, { nodes: helpfulNodes(verdicts, handle), guards: guardsOf(budgets.list()), args, handle });
      if (found.candidates.size === 0) return found.error ?? misfit(found.verdicts, handle);
      const candidates = await askExtenders(handle, pod, found.candidates, signal);
      if ("kind" in candidates) return candidates;
      const node = pickNode(candidates, handle.client.clock.now());
      const victims = candidates.get(node ?? "");
      if (node === undefined || victims === undefined) return unschedulable("preemption: no candidate node for preemption");
      evictions.start(pod, node, victims);
      return { node };
    },
  };
};

/** @throws Error with all that is wrong, as kube-scheduler says it */
export function preemptionArgs(given: Readonly<Record<string, unknown>>): PreemptionArgs {
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = given;
  const errors: field.FieldError[] = [];
  checkRange(errors, "minCandidateNodesPercentage", minCandidateNodesPercentage, [0, 100], "not in valid range [0, 100]");
  checkRange(errors, "minCandidateNodesAbsolute", minCandidateNodesAbsolute, [0, 2 ** 31 - 1], "not in valid range [0, inf)");
  if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0) {
    const zero = (name: string, other: string) => errors.push(field.invalid(name, 0, `cannot be zero at the same time as ${other}`));
    zero("minCandidateNodesPercentage", "minCandidateNodesAbsolute");
    zero("minCandidateNodesAbsolute", "minCandidateNodesPercentage");
  }
  refuseAny(errors);
  return { minCandidateNodesPercentage: Number(minCandidateNodesPercentage), minCandidateNodesAbsolute: Number(minCandidateNodesAbsolute) };
}

/** Who may not, or has done so and waits for it. */
function ineligible({ pod, priority }: PodInfo, verdicts: NodeVerdicts, handle: PluginHandle): string | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.status?.nominatedNodeName ?? "";
  if (nominated === "" || verdicts.get(nominated)?.kind === "unresolvable") return undefined;
  const isMakingRoom = handle
    .snapshot()
    .get(nominated)
    ?.pods.some((other) => other.priority < priority && isBeingPreempted(other.pod));
  return isMakingRoom === true ? "not eligible due to a terminating pod on the nominated node." : undefined;
}

const helpfulNodes = (verdicts: NodeVerdicts, handle: PluginHandle): readonly NodeInfo[] =>
  handle.snapshot().nodes.filter(({ name }) => verdicts.get(name)?.kind === "unschedulable");

interface DryRun {
  readonly nodes: readonly NodeInfo[];
  readonly guards: readonly Guard[];
  readonly args: PreemptionArgs;
  readonly handle: PluginHandle;
}

interface Found {
  /** Those first that no budget speaks against. */
  readonly candidates: Map<string, Victims>;
  readonly verdicts: Map<string, Verdict>;
  readonly error: Verdict | undefined;
}

/** Begins anywhere, so that not always the same nodes are looked at, and ends when there is enough to choose from. */
function dryRun(state: CycleState, pod: PodInfo, { nodes, guards, args, handle }: DryRun): Found {
  const { clock, random } = handle.client;
  const nowMs = clock.now();
  const enough = Math.min(
    nodes.length,
    Math.max(Math.floor((nodes.length * args.minCandidateNodesPercentage) / 100), args.minCandidateNodesAbsolute),
  );
  const [harmless, violating] = [new Map<string, Victims>(), new Map<string, Victims>()];
  const verdicts = new Map<string, Verdict>();
  const problems: string[] = [];
  const offset = Math.floor(random.next() * nodes.length);
  for (let i = 0; i < nodes.length && !(harmless.size > 0 && harmless.size + violating.size >= enough); i++) {
    const node = nodes[(offset + i) % nodes.length];
    if (node === undefined) continue;
    const outcome = selectVictims(pod, node, { state, guards, handle, nowMs });
    if ("pods" in outcome) (outcome.violations === 0 ? harmless : violating).set(node.name, outcome);
    else {
      verdicts.set(node.name, outcome);
      if (outcome.kind === "error") problems.push(...outcome.reasons);
    }
  }
  const error = problems.length === 0 ? undefined : failed(`preemption: ${[...new Set(problems)].join(", ")}`);
  return { candidates: new Map([...harmless, ...violating]), verdicts, error };
}

/** The sentence within the sentence. */
function misfit(verdicts: NodeVerdicts, handle: PluginHandle): PostFilterVerdict {
  const nodes = handle.snapshot().nodes.length;
  if (nodes === 0) return failed("preemption: no nodes available");
  const reasons = countReasons(verdicts, nodes, "Preemption is not helpful for scheduling");
  return { ...unschedulable(`preemption: ${fitMessage({ nodes, reasons })}`), clearsNomination: true };
}
