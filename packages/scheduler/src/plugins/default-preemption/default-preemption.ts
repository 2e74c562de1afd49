/**
 * Makes room for a Pod that fits nowhere by ending less important ones.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
import { podDisruptionBudgets } from "@coxswain/client";
import { field } from "@coxswain/machinery";
import type { CycleState } from "../../framework/cycle-state.ts";
import type { Victims } from "../../framework/extender.ts";
import { countReasons, fitErrorMessage } from "../../framework/fit-error.ts";
import type { Handle } from "../../framework/handle.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { NodeToStatus, PluginFactory, PostFilterStatus } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { errorStatus, type Status, unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { checkRange, refuseAny } from "../plugin-args.ts";
import { callExtenders } from "./call-extenders.ts";
import { Evictions, isBeingPreempted } from "./executor.ts";
import { pickOneNodeForPreemption } from "./pick-node.ts";
import { type Guard, guardsOf } from "./pod-disruption-budgets.ts";
import { selectVictimsOnNode } from "./select-victims.ts";

export interface PreemptionArgs {
  /** Of the nodes that might do, this share is tried at least, */
  readonly minCandidateNodesPercentage: number;
  /** and as many as this. */
  readonly minCandidateNodesAbsolute: number;
}

const underWay = unschedulableAndUnresolvable("waiting for the preemption for this pod to be finished");

export const defaultPreemption: PluginFactory = (given, handle) => {
  const args = preemptionArgs(given);
  const evictions = new Evictions(handle);
  const budgets = handle.informers.use(podDisruptionBudgets).informer.lister;
  return {
    name: "DefaultPreemption",
    // Whatever refused the Pod knows which end of a Pod helps it.
    events: [{ event: { resource: "AssignedPod", actions: ["delete"] }, hint: () => false }],
    preEnqueue: ({ uid }) => (evictions.isUnderWay(uid) ? underWay : undefined),
    async postFilter(state, pod, statuses, signal) {
      const why = ineligible(pod, statuses, handle);
      if (why !== undefined) return unschedulable(`preemption: ${why}`);
      const found = dryRun(state, pod, { nodes: helpfulNodes(statuses, handle), guards: guardsOf(budgets.list()), args, handle });
      if (found.candidates.size === 0) return found.error ?? misfit(found.statuses, handle);
      const candidates = await callExtenders(handle, pod, found.candidates, signal);
      if ("code" in candidates) return candidates;
      const node = pickOneNodeForPreemption(candidates, handle.client.clock.now());
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
  checkRange(errors, "minCandidateNodesPercentage", minCandidateNodesPercentage, {
    range: [0, 100],
    message: "not in valid range [0, 100]",
  });
  checkRange(errors, "minCandidateNodesAbsolute", minCandidateNodesAbsolute, {
    range: [0, 2 ** 31 - 1],
    message: "not in valid range [0, inf)",
  });
  if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0) {
    const zero = (name: string, other: string) => errors.push(field.invalid(name, 0, `cannot be zero at the same time as ${other}`));
    zero("minCandidateNodesPercentage", "minCandidateNodesAbsolute");
    zero("minCandidateNodesAbsolute", "minCandidateNodesPercentage");
  }
  refuseAny(errors);
  return { minCandidateNodesPercentage: Number(minCandidateNodesPercentage), minCandidateNodesAbsolute: Number(minCandidateNodesAbsolute) };
}

/** Who may not, or has done so and waits for it. */
function ineligible({ pod, priority }: PodInfo, statuses: NodeToStatus, handle: Handle): string | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.status?.nominatedNodeName ?? "";
  if (nominated === "" || statuses.get(nominated)?.code === "UnschedulableAndUnresolvable") return undefined;
  const isMakingRoom = handle
    .snapshot()
    .get(nominated)
    ?.pods.some((other) => other.priority < priority && isBeingPreempted(other.pod));
  return isMakingRoom === true ? "not eligible due to a terminating pod on the nominated node." : undefined;
}

const helpfulNodes = (statuses: NodeToStatus, handle: Handle): readonly NodeInfo[] =>
  handle.snapshot().nodes.filter(({ name }) => statuses.get(name)?.code === "Unschedulable");

interface DryRun {
  readonly nodes: readonly NodeInfo[];
  readonly guards: readonly Guard[];
  readonly args: PreemptionArgs;
  readonly handle: Handle;
}

interface Found {
  /** Those first that no budget speaks against. */
  readonly candidates: Map<string, Victims>;
  readonly statuses: Map<string, Status>;
  readonly error: Status | undefined;
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
  const statuses = new Map<string, Status>();
  const problems: string[] = [];
  const offset = Math.floor(random.next() * nodes.length);
  for (let i = 0; i < nodes.length && !(harmless.size > 0 && harmless.size + violating.size >= enough); i++) {
    const node = nodes[(offset + i) % nodes.length];
    if (node === undefined) continue;
    const outcome = selectVictimsOnNode(pod, node, { state, guards, handle, nowMs });
    if ("pods" in outcome) (outcome.violations === 0 ? harmless : violating).set(node.name, outcome);
    else {
      statuses.set(node.name, outcome);
      if (outcome.code === "Error") problems.push(...outcome.reasons);
    }
  }
  const error = problems.length === 0 ? undefined : errorStatus(`preemption: ${[...new Set(problems)].join(", ")}`);
  return { candidates: new Map([...harmless, ...violating]), statuses, error };
}

/** The sentence within the sentence. */
function misfit(statuses: NodeToStatus, handle: Handle): PostFilterStatus {
  const nodes = handle.snapshot().nodes.length;
  if (nodes === 0) return errorStatus("preemption: no nodes available");
  const reasons = countReasons(statuses, nodes, "Preemption is not helpful for scheduling");
  return { ...unschedulable(`preemption: ${fitErrorMessage({ nodes, reasons })}`), clearsNomination: true };
}
