/** What the plugins of a profile say of a node, with the Pods counted in that are nominated to it. */
import { goList } from "@coxswain/machinery";
import { type CycleState, type StateKey, stateKey } from "../framework/cycle-state.ts";
import { copyOfNode } from "../framework/new-node-info.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import { type SchedulerPlugin, skip } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { failed, unresolvable, type Verdict } from "../framework/verdict.ts";
import type { Profile } from "../profile/profile.ts";
import type { Nominator } from "../queue/nominator.ts";
import { type Diagnosis, messageOf } from "./diagnosis.ts";
import { PluginFailure } from "./plugin-failure.ts";

/** The filters that have something to say about the Pod. */
const filtersLeft: StateKey<readonly SchedulerPlugin[]> = stateKey("filters");

export const filtersOf = (profile: Profile, state: CycleState): readonly SchedulerPlugin[] => state.get(filtersLeft) ?? profile.filter;

/** Only these nodes are worth asking; undefined: all. */
export type Choice = ReadonlySet<string> | undefined;

/**
 * Undefined, with the reason in the diagnosis, when no node will do; otherwise which nodes may.
 * @throws PluginFailure
 */
export function preFilter(
  profile: Profile,
  state: CycleState,
  pod: PodInfo,
  { snapshot, diagnosis }: { readonly snapshot: Snapshot; readonly diagnosis: Diagnosis },
): { readonly nodes: Choice } | undefined {
  const skipped = new Set<SchedulerPlugin>();
  const choosers = new Set<string>();
  let nodes: Choice;
  let refusal: { readonly verdict: Verdict; readonly plugin: string } | undefined;
  for (const plugin of profile.preFilter) {
    const said = PluginFailure.guard("PreFilter", plugin.name, () => plugin.preFilter?.(state, pod, snapshot));
    if (said === skip) skipped.add(plugin);
    else if (said !== undefined && "kind" in said) {
      if (said.kind === "error") throw new PluginFailure("PreFilter", plugin.name, messageOf(said));
      refusal = { verdict: said, plugin: plugin.name };
      // Where room made by preemption may help, preemption needs what the other plugins prepare.
      if (said.kind === "unresolvable") break;
    } else if (said?.nodes !== undefined) {
      choosers.add(plugin.name);
      nodes = nodes === undefined ? said.nodes : nodes.intersection(said.nodes);
      if (nodes.size === 0) {
        refusal = { verdict: unresolvable(nothingLeft(choosers)), plugin: "" };
        break;
      }
    }
  }
  state.set(filtersLeft, skipped.size === 0 ? profile.filter : profile.filter.filter((plugin) => !skipped.has(plugin)));
  for (const name of choosers) diagnosis.refusedBy.add(name);
  if (refusal !== undefined) {
    const { verdict, plugin } = refusal;
    if (plugin !== "") diagnosis.refusedBy.clear();
    diagnosis.others = { ...verdict, plugin };
    diagnosis.preFilterVerdict = verdict;
    diagnosis.note(plugin, verdict);
    return undefined;
  }
  if (nodes !== undefined) diagnosis.others = unresolvable(`node(s) didn't satisfy plugin(s) ${listed(choosers)}`);
  return { nodes };
}

function nothingLeft(choosers: ReadonlySet<string>): string {
  const [first] = choosers;
  return choosers.size === 1
    ? `node(s) didn't satisfy plugin ${first}`
    : `node(s) didn't satisfy plugin(s) ${listed(choosers)} simultaneously`;
}

const listed = (names: ReadonlySet<string>): string => goList([...names].sort());

/**
 * Twice where Pods of the same or a higher priority are nominated to the node: with them there, since the Pod must leave
 * them their room, and without them, since they may go elsewhere and must not be relied on.
 */
export function filterNode(
  profile: Profile,
  state: CycleState,
  pod: PodInfo,
  { node, nominator }: { readonly node: NodeInfo; readonly nominator: Nominator },
): Verdict | undefined {
  const filters = filtersOf(profile, state);
  const coming = nominator.on(node.name).filter(({ priority, uid }) => priority >= pod.priority && uid !== pod.uid);
  if (coming.length > 0) {
    const draft = copyOfNode(node);
    const supposed = state.clone();
    for (const one of coming) {
      draft.add(one);
      const trouble = addPod(profile, supposed, { pod, other: one, node: draft });
      if (trouble !== undefined) return trouble;
    }
    const verdict = runFilters(filters, supposed, pod, draft);
    if (verdict !== undefined) return verdict;
  }
  return runFilters(filters, state, pod, node);
}

/** The first objection. */
export function runFilters(filters: readonly SchedulerPlugin[], state: CycleState, pod: PodInfo, node: NodeInfo): Verdict | undefined {
  for (const plugin of filters) {
    const verdict = filterOne(plugin, state, pod, node);
    if (verdict !== undefined) return { ...verdict, plugin: plugin.name };
  }
  return undefined;
}

/** One plugin's objection as it stands; who made it is for the caller to know. */
export function filterOne(plugin: SchedulerPlugin, state: CycleState, pod: PodInfo, node: NodeInfo): Verdict | undefined {
  let verdict: Verdict | undefined;
  try {
    verdict = plugin.filter?.(state, pod, node);
  } catch (error) {
    verdict = failed(error instanceof Error ? error.message : String(error));
  }
  return verdict?.kind === "error" ? failed(`running "${plugin.name}" filter plugin: ${messageOf(verdict)}`) : verdict;
}

export interface Supposition {
  readonly pod: PodInfo;
  readonly other: PodInfo;
  readonly node: NodeInfo;
}

export const addPod = (profile: Profile, state: CycleState, { pod, other, node }: Supposition): Verdict | undefined =>
  extend(profile, state, "AddPod", (plugin) => plugin.addPod?.(state, pod, other, node));

export const removePod = (profile: Profile, state: CycleState, { pod, other, node }: Supposition): Verdict | undefined =>
  extend(profile, state, "RemovePod", (plugin) => plugin.removePod?.(state, pod, other, node));

function extend(
  profile: Profile,
  state: CycleState,
  what: string,
  run: (plugin: SchedulerPlugin) => Verdict | undefined,
): Verdict | undefined {
  const filters = filtersOf(profile, state);
  for (const plugin of profile.preFilter) {
    // One that skips the Pod has prepared nothing that could be changed.
    if (profile.filter.includes(plugin) && !filters.includes(plugin)) continue;
    const verdict = run(plugin);
    if (verdict !== undefined) return failed(`running ${what} on PreFilter plugin "${plugin.name}": ${messageOf(verdict)}`);
  }
  return undefined;
}
