/** The scheduling cycle of a Pod: which nodes it fits, which of them is best, and that it is assumed there. */
import type { Client } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import { type CycleState, createCycleState } from "../framework/cycle-state.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { podKind } from "../framework/pod-kind.ts";
import type { Status } from "../framework/status.ts";
import { statusLabel } from "../metrics/scheduler-metrics.ts";
import type { QueuedPod } from "../queue/queued-pod.ts";
import { Diagnosis, statusMessage } from "../runtime/diagnosis.ts";
import { PluginFailure } from "../runtime/plugin-failure.ts";
import { runPostFilterPlugins } from "../runtime/post-filter.ts";
import type { Profile } from "../runtime/profile.ts";
import { addExtenderScores, NodeScorer, type Scores, selectHost } from "../runtime/score-nodes.ts";
import { type BindingParts, forgetPlacement, type Placement, runBindingCycle, unschedulableFailure } from "./binding-cycle.ts";
import { errorFailure, type Failure } from "./failure-handler.ts";
import { FeasibleNodeFinder } from "./find-nodes.ts";
import type { Reporter } from "./reporter.ts";

interface ScheduleResult {
  readonly node: string;
  readonly fit: number;
  readonly scores: Scores | undefined;
}

export interface SchedulingParts {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly random: Client["random"];
  readonly binding: BindingParts;
}

/** Runs for one Pod at a time: what one cycle assumes, the next one sees. */
export class SchedulingCycle {
  readonly #parts: SchedulingParts;
  readonly #binding: BindingParts;
  readonly #finder = new FeasibleNodeFinder();
  readonly #scorer = new NodeScorer();

  constructor(parts: SchedulingParts) {
    this.#parts = parts;
    this.#binding = parts.binding;
  }

  /** Resolves when the next Pod may be scheduled; binding goes on in the background. Rejects only when the signal is aborted. */
  async scheduleOne(queued: QueuedPod, signal: AbortSignal): Promise<void> {
    const { queue, cache, background, report } = this.#binding;
    const profile = this.#parts.profiles.get(queued.schedulerName);
    if (profile === undefined || this.#skipPodSchedule(profile, queued.pod)) return queue.done(queued.pod.uid);
    const { clock, metrics } = report;
    const startedAt = clock.monotonic();
    const state = createCycleState();
    const snapshot = cache.snapshot();
    const diagnosis = new Diagnosis();
    let choice: ScheduleResult | undefined;
    try {
      choice = await this.#schedulePod({ profile, state, queued, snapshot, diagnosis }, signal);
      metrics.chosen(clock.monotonic() - startedAt);
    } catch (error) {
      signal.throwIfAborted();
      const message = messageOf(error);
      return this.#fail({ profile, queued, snapshot, diagnosis }, errorFailure(message, startedAt));
    }
    if (choice === undefined) {
      const failure = await this.#runPostFilter({ profile, state, queued, snapshot, diagnosis, startedAt }, signal);
      return this.#fail({ profile, queued, snapshot, diagnosis }, failure);
    }
    const placement = this.#assume({ profile, state, queued, startedAt }, choice.node);
    if (!("node" in placement)) return this.#fail({ profile, queued, snapshot, diagnosis }, placement);
    this.#explain({ profile, queued, snapshot, diagnosis }, { result: "placed", ...choice });
    background.start((signal) => runBindingCycle(this.#binding, placement, signal));
  }

  /** Being deleted, or on a node already: an update during its cycle had queued it again. */
  #skipPodSchedule({ schedulerName }: Profile, { pod, uid, namespace, name }: PodInfo): boolean {
    if (pod.metadata?.deletionTimestamp === undefined) return this.#binding.cache.isAssumed(uid);
    const message = `skip schedule deleting pod: ${namespace}/${name}`;
    this.#binding.report
      .eventsOf(schedulerName)
      .record(pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" }, podKind);
    return true;
  }

  /** Undefined when the Pod fits no node. @throws Error when a plugin or an extender fails */
  async #schedulePod(
    { profile, state, queued, snapshot, diagnosis }: SchedulingAttempt & { readonly state: CycleState },
    signal: AbortSignal,
  ): Promise<ScheduleResult | undefined> {
    const { extenders, queue, report } = this.#binding;
    const { metrics } = report;
    const { pod } = queued;
    if (snapshot.nodes.length === 0) return undefined;
    const search = { profile, state, pod, snapshot, diagnosis, extenders, metrics, signal, nominator: queue.nominator };
    const nodes = await this.#finder.find(search);
    const [first] = nodes;
    if (first === undefined) return undefined;
    if (nodes.length === 1) return { node: first.name, fit: 1, scores: undefined };
    const given = metrics.timed("Score", profile.schedulerName, () => this.#scorer.score(profile, state, pod, nodes));
    const advisers = extenders.filter((extender) => extender.does.prioritize && extender.isInterested(pod));
    const scores = advisers.length === 0 ? given : await addExtenderScores(given, pod, advisers, signal);
    const best = nodeAt(
      nodes,
      selectHost(scores.totals, () => this.#parts.random.next()),
    );
    return { node: best.name, fit: nodes.length, scores };
  }

  /** PostFilter runs before the failure is reported: it may nominate a node. */
  async #runPostFilter(
    {
      profile,
      state,
      queued,
      snapshot,
      diagnosis,
      startedAt,
    }: SchedulingAttempt & { readonly state: CycleState; readonly startedAt: number },
    signal: AbortSignal,
  ): Promise<Failure> {
    const unschedulable = { reason: "Unschedulable", startedAt } as const;
    if (snapshot.nodes.length === 0) {
      const noPlugins = new Set<string>();
      return {
        ...unschedulable,
        message: "no nodes available to schedule pods",
        unschedulablePlugins: noPlugins,
        pendingPlugins: noPlugins,
        nominatedNode: "",
      };
    }
    diagnosis.addPluginsOfNodes();
    let nominatedNode: string | undefined = "";
    if (profile.postFilter.length > 0) {
      const statuses = diagnosis.nodeToStatus(snapshot.nodes);
      const run = () => runPostFilterPlugins(profile, { state, pod: queued.pod, statuses }, signal);
      const result = await this.#binding.report.metrics.timedAsync("PostFilter", profile.schedulerName, run, ({ nominatedNode }) =>
        nominatedNode ? "Success" : "Unschedulable",
      );
      diagnosis.postFilterMessage = result.message;
      nominatedNode = result.nominatedNode;
    }
    const { unschedulablePlugins, pendingPlugins } = diagnosis;
    return {
      ...unschedulable,
      message: diagnosis.message(snapshot.nodes.length),
      unschedulablePlugins,
      pendingPlugins,
      nominatedNode,
    };
  }

  /** Assumes the Pod on the node, and runs Reserve and Permit. */
  #assume(
    { profile, state, queued, startedAt }: Pick<Placement, "profile" | "state" | "queued" | "startedAt">,
    node: string,
  ): Placement | Failure {
    const { cache, queue, report } = this.#binding;
    const { metrics } = report;
    const { pod } = queued;
    const assumed: PodInfo = { ...pod, pod: { ...pod.pod, spec: { containers: [], ...pod.pod.spec, nodeName: node } } };
    const waits = new Map<string, number>();
    const placement: Placement = { profile, state, queued, pod: assumed, node, permitWaits: waits, startedAt };
    try {
      cache.assume(assumed, node);
    } catch (error) {
      return errorFailure(messageOf(error), startedAt);
    }
    queue.nominator.delete(pod.uid);
    let status: Status | undefined;
    try {
      const { schedulerName } = profile;
      status = metrics.timed("Reserve", schedulerName, () => reserve(placement), statusLabel);
      status ??= metrics.timed("Permit", schedulerName, () => permit(placement, waits), statusLabel);
    } catch (error) {
      forgetPlacement(this.#binding, placement);
      return errorFailure(messageOf(error), startedAt);
    }
    if (status === undefined) return placement;
    forgetPlacement(this.#binding, placement);
    return unschedulableFailure(status, startedAt);
  }

  #fail({ profile, queued, snapshot, diagnosis }: SchedulingAttempt, failure: Failure): void {
    const { reason, message, nominatedNode } = failure;
    this.#explain(
      { profile, queued, snapshot, diagnosis },
      {
        result: reason === "Unschedulable" ? "unschedulable" : "error",
        message,
        ...(nominatedNode === undefined || nominatedNode === "" ? {} : { nominatedNode }),
        fit: 0,
        scores: undefined,
      },
    );
    this.#binding.failures.handle(profile, queued, failure);
  }

  #explain({ profile, queued, snapshot, diagnosis }: SchedulingAttempt, outcome: Outcome): void {
    const { explanations, clock } = this.#binding.report;
    const at = clock.now();
    const { schedulerName } = profile;
    explanations.add(queued.pod, { at, schedulerName, total: snapshot.nodes.length, diagnosis, ...outcome });
  }
}

type Outcome = Omit<Parameters<Reporter["explanations"]["add"]>[1], "at" | "schedulerName" | "total" | "diagnosis">;

interface SchedulingAttempt {
  readonly profile: Profile;
  readonly queued: QueuedPod;
  readonly snapshot: Snapshot;
  readonly diagnosis: Diagnosis;
}

function nodeAt(nodes: readonly NodeInfo[], at: number): NodeInfo {
  const node = nodes[at];
  if (node === undefined) throw new RangeError(`no node at ${at}`);
  return node;
}

function reserve({ profile, state, pod, node }: Placement): Status | undefined {
  for (const plugin of profile.reserve) {
    const status = PluginFailure.guard("Reserve", plugin.name, () => plugin.reserve?.(state, pod, node));
    if (status?.code === "Error") throw new PluginFailure("Reserve", plugin.name, statusMessage(status));
    if (status !== undefined) return { ...status, plugin: plugin.name };
  }
  return undefined;
}

function permit({ profile, state, pod, node }: Placement, waits: Map<string, number>): Status | undefined {
  for (const plugin of profile.permit) {
    const said = PluginFailure.guard("Permit", plugin.name, () => plugin.permit?.(state, pod, node));
    if (said === undefined) continue;
    if ("waitMs" in said) waits.set(plugin.name, said.waitMs);
    else if (said.code === "Error") throw new PluginFailure("Permit", plugin.name, statusMessage(said));
    else return { ...said, plugin: plugin.name };
  }
  return undefined;
}
