/** Which nodes a Pod fits: enough of them to choose from, not all. */
import type { CycleState } from "../framework/cycle-state.ts";
import type { Extender } from "../framework/extender.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { unschedulable, unschedulableAndUnresolvable } from "../framework/status.ts";
import { type SchedulerMetrics, statusLabel } from "../metrics/scheduler-metrics.ts";
import type { Nominator } from "../queue/nominator.ts";
import { extenderName } from "../queue/queueing-hint.ts";
import { type Diagnosis, statusMessage } from "../runtime/diagnosis.ts";
import { filtersOf, runFilterPlugin, runFilterPluginsWithNominatedPods, runPreFilterPlugins } from "../runtime/filters.ts";
import type { Profile } from "../runtime/profile.ts";

export interface Search {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly diagnosis: Diagnosis;
  readonly nominator: Nominator;
  readonly extenders: readonly Extender[];
  readonly metrics: SchedulerMetrics;
  readonly signal: AbortSignal;
}

/** A cluster of fewer nodes is searched to its end. */
const minFeasibleNodesToFind = 100;
const minFeasibleNodesPercentageToFind = 5;

/** How many nodes that fit are enough. */
export function numFeasibleNodesToFind(percentage: number, nodeCount: number): number {
  if (nodeCount < minFeasibleNodesToFind) return nodeCount;
  const chosen = percentage > 0 ? percentage : Math.max(minFeasibleNodesPercentageToFind, 50 - Math.floor(nodeCount / 125));
  return Math.max(minFeasibleNodesToFind, Math.floor((nodeCount * chosen) / 100));
}

/** Where the last search ended the next begins, so that all nodes are asked equally often. */
export class FeasibleNodeFinder {
  #start = 0;
  /** Kept from attempt to attempt, since nearly all of them fill it. */
  readonly #found: NodeInfo[] = [];

  /** The list is valid until the next search. @throws PluginFailure; Error, of an extender or a filter */
  find(search: Search): readonly NodeInfo[] | Promise<readonly NodeInfo[]> {
    const { profile, state, pod, snapshot, diagnosis, extenders, metrics } = search;
    const run = (): ReturnType<typeof runPreFilterPlugins> => runPreFilterPlugins(profile, state, pod, search);
    const choice = metrics.timed("PreFilter", profile.schedulerName, run, () => statusLabel(diagnosis.preFilterStatus));
    if (choice === undefined) return [];
    const interested = extenders.filter((extender) => extender.does.filter && extender.isInterested(pod));
    const nominated = snapshot.get(pod.pod.status?.nominatedNodeName ?? "");
    if (interested.length > 0) return this.#findWithExtenders(search, choice.nodes, interested);
    if (nominated !== undefined && this.#filter(search, [nominated], { start: 0, enough: 1 }).length > 0) return this.#found;
    diagnosis.truncate(0);
    return this.#search(search, choice.nodes);
  }

  async #findWithExtenders(
    search: Search,
    choice: ReadonlySet<string> | undefined,
    extenders: readonly Extender[],
  ): Promise<readonly NodeInfo[]> {
    const { pod, snapshot, diagnosis } = search;
    const nominated = snapshot.get(pod.pod.status?.nominatedNodeName ?? "");
    if (nominated !== undefined) {
      const found = await filterWithExtenders(search, extenders, this.#filter(search, [nominated], { start: 0, enough: 1 }));
      if (found.length > 0) return found;
      diagnosis.truncate(0);
    }
    const found = this.#search(search, choice).slice();
    const left = await filterWithExtenders(search, extenders, found);
    if (left.length !== found.length) diagnosis.unschedulablePlugins.add(extenderName);
    return left;
  }

  #search(search: Search, choice: ReadonlySet<string> | undefined): readonly NodeInfo[] {
    const { profile, snapshot, diagnosis, extenders } = search;
    const nodes = choice === undefined ? snapshot.nodes : [...choice].flatMap((name) => snapshot.get(name) ?? []);
    const chooses = profile.score.length > 0 || extenders.some(({ does }) => does.filter || does.prioritize);
    const enough = chooses ? numFeasibleNodesToFind(profile.percentageOfNodesToScore, nodes.length) : 1;
    const run = (): readonly NodeInfo[] => this.#filter(search, nodes, { start: this.#start, enough });
    const found = search.metrics.timed("Filter", profile.schedulerName, run);
    this.#start = (this.#start + found.length + diagnosis.nodes.length) % snapshot.nodes.length;
    return found;
  }

  /** @throws Error with what a filter has failed with */
  #filter(
    { profile, state, pod, nominator, diagnosis }: Search,
    nodes: readonly NodeInfo[],
    { start, enough }: { readonly start: number; readonly enough: number },
  ): readonly NodeInfo[] {
    const found = this.#found;
    found.length = 0;
    const filters = filtersOf(profile, state);
    const hasNoNominations = nominator.size === 0;
    const count = nodes.length;
    for (let asked = 0; asked < count && found.length < enough; asked++) {
      const node = nodes[(start + asked) % count];
      if (node === undefined) continue;
      if (!hasNoNominations && nominator.nominatedPods(node.name).length > 0) {
        const status = runFilterPluginsWithNominatedPods(profile, state, pod, { node, nominator });
        if (status === undefined) found.push(node);
        else if (status.code === "Error") throw new Error(statusMessage(status));
        else diagnosis.addNode(node, status, status.plugin ?? "");
        continue;
      }
      let fits = true;
      for (const plugin of filters) {
        const status = runFilterPlugin(plugin, state, pod, node);
        if (status === undefined) continue;
        if (status.code === "Error") throw new Error(statusMessage(status));
        diagnosis.addNode(node, status, plugin.name);
        fits = false;
        break;
      }
      if (fits) found.push(node);
    }
    return found;
  }
}

/** One after another: each sees what those before have left. */
async function filterWithExtenders(
  { pod, diagnosis, signal, snapshot }: Search,
  extenders: readonly Extender[],
  found: readonly NodeInfo[],
): Promise<readonly NodeInfo[]> {
  let left = found.slice();
  for (const extender of extenders) {
    if (left.length === 0) break;
    try {
      const { nodes, failed, unresolvable: hopeless } = await extender.filter(pod, left, signal);
      const refuse = (name: string, status: ReturnType<typeof unschedulable>): void => {
        const node = snapshot.get(name);
        if (node !== undefined) diagnosis.addNode(node, status, "");
      };
      for (const [name, reason] of hopeless) refuse(name, unschedulableAndUnresolvable(reason));
      for (const [name, reason] of failed) if (!hopeless.has(name)) refuse(name, unschedulable(reason));
      left = [...nodes];
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) throw error;
    }
  }
  return left;
}
