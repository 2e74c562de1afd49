/** Which of the nodes that a Pod fits is the best. */
import type { CycleState } from "../framework/cycle-state.ts";
import type { Extender } from "../framework/extender.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import { type SchedulerPlugin, skip } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { statusMessage } from "./diagnosis.ts";
import { PluginFailure } from "./plugin-failure.ts";
import type { Profile } from "./profile.ts";

/** What one plugin or extender gives each node. */
export interface ScoreColumn {
  readonly name: string;
  readonly weight: number;
  /** Normalised, 0 to 100, without the weight. */
  readonly scores: Float64Array;
}

export interface Scores {
  readonly nodes: readonly NodeInfo[];
  readonly columns: readonly ScoreColumn[];
  /** With the weights; as many as nodes. */
  readonly totals: Float64Array;
}

/** Kubernetes' bounds. */
const maxNodeScore = 100;
const maxExtenderPriority = 10;

/** Arrays are its own and valid until the next call: scores of thousands of nodes are given thousands of times. */
export class NodeScorer {
  #totals = new Float64Array(0);
  #columns: Float64Array[] = [];

  /** @throws PluginFailure */
  score(profile: Profile, state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Scores {
    const skipped = runPreScorePlugins(profile, state, pod, nodes);
    this.#grow(nodes.length, profile.score.length);
    const totals = this.#totals.subarray(0, nodes.length).fill(0);
    const columns: ScoreColumn[] = [];
    for (const { plugin, weight } of profile.score) {
      const room = this.#columns[columns.length];
      if (skipped.has(plugin) || room === undefined) continue;
      const scores = room.subarray(0, nodes.length);
      PluginFailure.guard("Score", plugin.name, () => runScorePlugin(plugin, { state, pod, nodes }, scores));
      for (let at = 0; at < scores.length; at++) {
        const score = scores[at] ?? 0;
        if (!(score >= 0 && score <= maxNodeScore)) throw outOfBounds(plugin.name, score);
        totals[at] = (totals[at] ?? 0) + score * weight;
      }
      columns.push({ name: plugin.name, weight, scores });
    }
    return { nodes, columns, totals };
  }

  #grow(nodes: number, plugins: number): void {
    if (this.#totals.length >= nodes && this.#columns.length >= plugins) return;
    const size = Math.max(this.#totals.length, nodes);
    this.#totals = new Float64Array(size);
    this.#columns = Array.from({ length: plugins }, () => new Float64Array(size));
  }
}

function runScorePlugin(
  plugin: SchedulerPlugin,
  { state, pod, nodes }: { readonly state: CycleState; readonly pod: PodInfo; readonly nodes: readonly NodeInfo[] },
  scores: Float64Array,
): void {
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    if (node !== undefined) scores[at] = plugin.score?.(state, pod, node) ?? 0;
  }
  plugin.normalizeScore?.(state, pod, scores);
}

function runPreScorePlugins(profile: Profile, state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): ReadonlySet<SchedulerPlugin> {
  const skipped = new Set<SchedulerPlugin>();
  for (const plugin of profile.preScore) {
    const said = PluginFailure.guard("PreScore", plugin.name, () => plugin.preScore?.(state, pod, nodes));
    if (said === skip) skipped.add(plugin);
    else if (said !== undefined) throw new PluginFailure("PreScore", plugin.name, statusMessage(said));
  }
  return skipped;
}

const outOfBounds = (plugin: string, score: number): Error =>
  new Error(
    `applying score defaultWeights on Score plugins: plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${maxNodeScore}] after normalizing`,
  );

/** With what extenders think of the nodes; one that fails thinks nothing. */
export async function addExtenderScores(
  scores: Scores,
  pod: PodInfo,
  extenders: readonly Extender[],
  signal: AbortSignal,
): Promise<Scores> {
  const { nodes } = scores;
  const given = await Promise.all(
    extenders.map(async (extender): Promise<ScoreColumn | undefined> => {
      const { name, weight } = extender;
      try {
        const byName = await extender.prioritize(pod, nodes, signal);
        const scaled = nodes.map((node) => ((byName.get(node.name) ?? 0) * maxNodeScore) / maxExtenderPriority);
        return { name, weight, scores: Float64Array.from(scaled) };
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    }),
  );
  const columns = given.filter((column) => column !== undefined);
  const totals = scores.totals.map((total, at) => columns.reduce((sum, { weight, scores }) => sum + weight * (scores[at] ?? 0), total));
  return { nodes, columns: [...scores.columns, ...columns], totals };
}

/** The place of the best; among equals chance decides. */
export function selectHost(totals: Float64Array, chance: () => number): number {
  let best = Number.NEGATIVE_INFINITY;
  let equals = 0;
  for (const total of totals) {
    if (total > best) {
      best = total;
      equals = 1;
    } else if (total === best) equals++;
  }
  let turn = equals > 1 ? Math.floor(chance() * equals) : 0;
  return totals.findIndex((total) => total === best && turn-- === 0);
}
