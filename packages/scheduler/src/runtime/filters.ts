/** What the plugins of a profile say of a node, with the Pods counted in that are nominated to it. */
import { goList, messageOf } from "@coxswain/machinery";
import { type CycleState, type StateKey, stateKey } from "../framework/cycle-state.ts";
import { copyOfNode } from "../framework/new-node-info.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import { type SchedulerPlugin, skip } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { errorStatus, type Status, unschedulableAndUnresolvable } from "../framework/status.ts";
import type { Nominator } from "../queue/nominator.ts";
import { type Diagnosis, statusMessage } from "./diagnosis.ts";
import { PluginFailure } from "./plugin-failure.ts";
import type { Profile } from "./profile.ts";

/** The filters that have something to say about the Pod. */
const activeFilters: StateKey<readonly SchedulerPlugin[]> = stateKey("filters");

export const filtersOf = (profile: Profile, state: CycleState): readonly SchedulerPlugin[] => state.get(activeFilters) ?? profile.filter;

/** Only these nodes are worth asking; undefined: all. */
export type PreFilterNodes = ReadonlySet<string> | undefined;

/**
 * Undefined, with the reason in the diagnosis, when no node will do; otherwise which nodes may.
 * @throws PluginFailure
 */
export function runPreFilterPlugins(
  profile: Profile,
  state: CycleState,
  pod: PodInfo,
  { snapshot, diagnosis }: { readonly snapshot: Snapshot; readonly diagnosis: Diagnosis },
): { readonly nodes: PreFilterNodes } | undefined {
  const skipped = new Set<SchedulerPlugin>();
  const choosers = new Set<string>();
  let nodes: PreFilterNodes;
  let refusal: { readonly status: Status; readonly plugin: string } | undefined;
  for (const plugin of profile.preFilter) {
    const said = PluginFailure.guard("PreFilter", plugin.name, () => plugin.preFilter?.(state, pod, snapshot));
    if (said === skip) skipped.add(plugin);
    else if (said !== undefined && "code" in said) {
      if (said.code === "Error") throw new PluginFailure("PreFilter", plugin.name, statusMessage(said));
      refusal = { status: said, plugin: plugin.name };
      // Where room made by preemption may help, preemption needs what the other plugins prepare.
      if (said.code === "UnschedulableAndUnresolvable") break;
    } else if (said?.nodes !== undefined) {
      choosers.add(plugin.name);
      nodes = nodes === undefined ? said.nodes : nodes.intersection(said.nodes);
      if (nodes.size === 0) {
        refusal = { status: unschedulableAndUnresolvable(noNodeLeftMessage(choosers)), plugin: "" };
        break;
      }
    }
  }
  state.set(activeFilters, skipped.size === 0 ? profile.filter : profile.filter.filter((plugin) => !skipped.has(plugin)));
  for (const name of choosers) diagnosis.unschedulablePlugins.add(name);
  if (refusal !== undefined) {
    const { status, plugin } = refusal;
    if (plugin !== "") diagnosis.unschedulablePlugins.clear();
    diagnosis.absentNodesStatus = { ...status, plugin };
    diagnosis.preFilterStatus = status;
    diagnosis.addPlugin(plugin, status);
    return undefined;
  }
  if (nodes !== undefined)
    diagnosis.absentNodesStatus = unschedulableAndUnresolvable(`node(s) didn't satisfy plugin(s) ${listed(choosers)}`);
  return { nodes };
}

function noNodeLeftMessage(choosers: ReadonlySet<string>): string {
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
export function runFilterPluginsWithNominatedPods(
  profile: Profile,
  state: CycleState,
  pod: PodInfo,
  { node, nominator }: { readonly node: NodeInfo; readonly nominator: Nominator },
): Status | undefined {
  const filters = filtersOf(profile, state);
  const coming = nominator.nominatedPods(node.name).filter(({ priority, uid }) => priority >= pod.priority && uid !== pod.uid);
  if (coming.length > 0) {
    const draft = copyOfNode(node);
    const supposed = state.clone();
    for (const one of coming) {
      draft.add(one);
      const trouble = runPreFilterExtensionAddPod(profile, supposed, { pod, other: one, node: draft });
      if (trouble !== undefined) return trouble;
    }
    const status = runFilterPlugins(filters, supposed, pod, draft);
    if (status !== undefined) return status;
  }
  return runFilterPlugins(filters, state, pod, node);
}

/** The first objection. */
export function runFilterPlugins(filters: readonly SchedulerPlugin[], state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
  for (const plugin of filters) {
    const status = runFilterPlugin(plugin, state, pod, node);
    if (status !== undefined) return { ...status, plugin: plugin.name };
  }
  return undefined;
}

/** One plugin's objection as it stands; who made it is for the caller to know. */
export function runFilterPlugin(plugin: SchedulerPlugin, state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
  let status: Status | undefined;
  try {
    status = plugin.filter?.(state, pod, node);
  } catch (error) {
    status = errorStatus(messageOf(error));
  }
  return status?.code === "Error" ? errorStatus(`running "${plugin.name}" filter plugin: ${statusMessage(status)}`) : status;
}

export interface SimulatedPod {
  readonly pod: PodInfo;
  readonly other: PodInfo;
  readonly node: NodeInfo;
}

export const runPreFilterExtensionAddPod = (profile: Profile, state: CycleState, { pod, other, node }: SimulatedPod): Status | undefined =>
  runPreFilterExtensions(profile, state, "AddPod", (plugin) => plugin.addPod?.(state, pod, other, node));

export const runPreFilterExtensionRemovePod = (
  profile: Profile,
  state: CycleState,
  { pod, other, node }: SimulatedPod,
): Status | undefined => runPreFilterExtensions(profile, state, "RemovePod", (plugin) => plugin.removePod?.(state, pod, other, node));

function runPreFilterExtensions(
  profile: Profile,
  state: CycleState,
  what: string,
  run: (plugin: SchedulerPlugin) => Status | undefined,
): Status | undefined {
  const filters = filtersOf(profile, state);
  for (const plugin of profile.preFilter) {
    // One that skips the Pod has prepared nothing that could be changed.
    if (profile.filter.includes(plugin) && !filters.includes(plugin)) continue;
    const status = run(plugin);
    if (status !== undefined) return errorStatus(`running ${what} on PreFilter plugin "${plugin.name}": ${statusMessage(status)}`);
  }
  return undefined;
}
