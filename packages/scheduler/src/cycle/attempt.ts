/** One attempt to place one Pod: which nodes it fits, which of them is best, and what that means to the others. */
import { type CycleState, createCycleState } from "../framework/cycle-state.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { podKind } from "../framework/pod-kind.ts";
import type { Verdict } from "../framework/verdict.ts";
import { statusOf } from "../metrics.ts";
import type { Profile } from "../profile/profile.ts";
import type { WaitingPod } from "../queue/waiting-pod.ts";
import { bindPod, type Placement, refusal, undoPlacement } from "./binding.ts";
import { Diagnosis, messageOf } from "./diagnosis.ts";
import { errorFailure, type Failure, handleFailure } from "./failure.ts";
import { NodeFinder } from "./find-nodes.ts";
import { PluginFailure } from "./plugin-failure.ts";
import { runPostFilter } from "./post-filter.ts";
import type { SchedulerParts } from "./scheduler-parts.ts";
import { NodeScorer, pickBest, type Scores, withExtenders } from "./score-nodes.ts";

interface Choice {
  readonly node: string;
  readonly fit: number;
  readonly scores: Scores | undefined;
}

/** One at a time: what one has decided, the next one sees. */
export class Attempts {
  readonly #parts: SchedulerParts;
  readonly #finder = new NodeFinder();
  readonly #scorer = new NodeScorer();

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** Resolves when the next one may be tried; binding goes on in the background. Rejects only when the signal is aborted. */
  async place(waiting: WaitingPod, signal: AbortSignal): Promise<void> {
    const { queue, cache, client, background } = this.#parts;
    const profile = this.#parts.profiles.get(waiting.schedulerName);
    if (profile === undefined || this.#isSuperfluous(profile, waiting.pod)) return queue.done(waiting.pod.uid);
    const startedAt = client.clock.monotonic();
    const state = createCycleState();
    const snapshot = cache.snapshot();
    const diagnosis = new Diagnosis();
    let choice: Choice | undefined;
    try {
      choice = await this.#choose({ profile, state, waiting, snapshot, diagnosis }, signal);
      this.#parts.metrics.chosen(client.clock.monotonic() - startedAt);
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      return this.#fail({ profile, waiting, snapshot, diagnosis }, errorFailure(message, startedAt));
    }
    if (choice === undefined) {
      const failure = await this.#refused({ profile, state, waiting, snapshot, diagnosis, startedAt }, signal);
      return this.#fail({ profile, waiting, snapshot, diagnosis }, failure);
    }
    const placement = this.#commit({ profile, state, waiting, startedAt }, choice.node);
    if (!("node" in placement)) return this.#fail({ profile, waiting, snapshot, diagnosis }, placement);
    this.#explain({ profile, waiting, snapshot, diagnosis }, { result: "placed", ...choice });
    background.start((signal) => bindPod(this.#parts, placement, signal));
  }

  /** Being deleted, or on a node already: it was queued again by an update that came while it was tried. */
  #isSuperfluous({ schedulerName }: Profile, { pod, uid, namespace, name }: PodInfo): boolean {
    if (pod.metadata?.deletionTimestamp === undefined) return this.#parts.cache.isAssumed(uid);
    const message = `skip schedule deleting pod: ${namespace}/${name}`;
    this.#parts
      .eventsOf(schedulerName)
      .record(pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" }, podKind);
    return true;
  }

  /** Undefined: no node will do. @throws Error when it cannot be told */
  async #choose(
    { profile, state, waiting, snapshot, diagnosis }: Try & { readonly state: CycleState },
    signal: AbortSignal,
  ): Promise<Choice | undefined> {
    const { extenders, queue, client, metrics } = this.#parts;
    const { pod } = waiting;
    if (snapshot.nodes.length === 0) return undefined;
    const search = { profile, state, pod, snapshot, diagnosis, extenders, metrics, signal, nominator: queue.nominator };
    const nodes = await this.#finder.find(search);
    const [first] = nodes;
    if (first === undefined) return undefined;
    if (nodes.length === 1) return { node: first.name, fit: 1, scores: undefined };
    const given = metrics.timed("Score", profile.schedulerName, () => this.#scorer.score(profile, state, pod, nodes));
    const advisers = extenders.filter((extender) => extender.does.prioritize && extender.isInterested(pod));
    const scores = advisers.length === 0 ? given : await withExtenders(given, pod, advisers, signal);
    const best = nodeAt(
      nodes,
      pickBest(scores.totals, () => client.random.next()),
    );
    return { node: best.name, fit: nodes.length, scores };
  }

  /** Whether room can be made is asked before the Pod is told. */
  async #refused(
    { profile, state, waiting, snapshot, diagnosis, startedAt }: Try & { readonly state: CycleState; readonly startedAt: number },
    signal: AbortSignal,
  ): Promise<Failure> {
    const told = { reason: "Unschedulable", startedAt } as const;
    if (snapshot.nodes.length === 0) {
      const nobody = new Set<string>();
      return { ...told, message: "no nodes available to schedule pods", refusedBy: nobody, pendingOn: nobody, nominatedNode: "" };
    }
    diagnosis.countPlugins();
    let nominatedNode: string | undefined = "";
    if (profile.postFilter.length > 0) {
      const verdicts = diagnosis.byNode(snapshot.nodes);
      const run = () => runPostFilter(profile, { state, pod: waiting.pod, verdicts }, signal);
      const result = await this.#parts.metrics.timedAsync("PostFilter", profile.schedulerName, run, ({ nominatedNode }) =>
        nominatedNode ? "Success" : "Unschedulable",
      );
      diagnosis.postFilterMessage = result.message;
      nominatedNode = result.nominatedNode;
    }
    const { refusedBy, pendingOn } = diagnosis;
    return { ...told, message: diagnosis.message(snapshot.nodes.length), refusedBy, pendingOn, nominatedNode };
  }

  /** From here on the Pod counts on the node. */
  #commit(
    { profile, state, waiting, startedAt }: Pick<Placement, "profile" | "state" | "waiting" | "startedAt">,
    node: string,
  ): Placement | Failure {
    const { cache, queue, metrics } = this.#parts;
    const { pod } = waiting;
    const assumed: PodInfo = { ...pod, pod: { ...pod.pod, spec: { containers: [], ...pod.pod.spec, nodeName: node } } };
    const waits = new Map<string, number>();
    const placement: Placement = { profile, state, waiting, pod: assumed, node, waits, startedAt };
    try {
      cache.assume(assumed, node);
    } catch (error) {
      return errorFailure(error instanceof Error ? error.message : String(error), startedAt);
    }
    queue.nominator.delete(pod.uid);
    let verdict: Verdict | undefined;
    try {
      const { schedulerName } = profile;
      verdict = metrics.timed("Reserve", schedulerName, () => reserve(placement), statusOf);
      verdict ??= metrics.timed("Permit", schedulerName, () => permit(placement, waits), statusOf);
    } catch (error) {
      undoPlacement(this.#parts, placement);
      return errorFailure(error instanceof Error ? error.message : String(error), startedAt);
    }
    if (verdict === undefined) return placement;
    undoPlacement(this.#parts, placement);
    return refusal(verdict, startedAt);
  }

  #fail({ profile, waiting, snapshot, diagnosis }: Try, failure: Failure): void {
    const { reason, message, nominatedNode } = failure;
    this.#explain(
      { profile, waiting, snapshot, diagnosis },
      {
        result: reason === "Unschedulable" ? "unschedulable" : "error",
        message,
        ...(nominatedNode === undefined || nominatedNode === "" ? {} : { nominatedNode }),
        fit: 0,
        scores: undefined,
      },
    );
    handleFailure(this.#parts, profile, waiting, failure);
  }

  #explain({ profile, waiting, snapshot, diagnosis }: Try, outcome: Outcome): void {
    const { explanations, client } = this.#parts;
    const at = client.clock.now();
    const { schedulerName } = profile;
    explanations.add(waiting.pod, { at, schedulerName, total: snapshot.nodes.length, diagnosis, ...outcome });
  }
}

type Outcome = Omit<Parameters<SchedulerParts["explanations"]["add"]>[1], "at" | "schedulerName" | "total" | "diagnosis">;

interface Try {
  readonly profile: Profile;
  readonly waiting: WaitingPod;
  readonly snapshot: Snapshot;
  readonly diagnosis: Diagnosis;
}

function nodeAt(nodes: readonly NodeInfo[], at: number): NodeInfo {
  const node = nodes[at];
  if (node === undefined) throw new RangeError(`no node at ${at}`);
  return node;
}

function reserve({ profile, state, pod, node }: Placement): Verdict | undefined {
  for (const plugin of profile.reserve) {
    const verdict = PluginFailure.guard("Reserve", plugin.name, () => plugin.reserve?.(state, pod, node));
    if (verdict?.kind === "error") throw new PluginFailure("Reserve", plugin.name, messageOf(verdict));
    if (verdict !== undefined) return { ...verdict, plugin: plugin.name };
  }
  return undefined;
}

function permit({ profile, state, pod, node }: Placement, waits: Map<string, number>): Verdict | undefined {
  for (const plugin of profile.permit) {
    const said = PluginFailure.guard("Permit", plugin.name, () => plugin.permit?.(state, pod, node));
    if (said === undefined) continue;
    if ("waitMs" in said) waits.set(plugin.name, said.waitMs);
    else if (said.kind === "error") throw new PluginFailure("Permit", plugin.name, messageOf(said));
    else return { ...said, plugin: plugin.name };
  }
  return undefined;
}
