/** Why no node was found, gathered while it was looked for. */
import { fitErrorMessage } from "../framework/fit-error.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { NodeToStatus } from "../framework/plugin.ts";
import type { Status } from "../framework/status.ts";

export class Diagnosis {
  /** Every node that was asked and said no, and in the same place what it said and which plugin spoke for it. */
  readonly nodes: NodeInfo[] = [];
  readonly statuses: Status[] = [];
  readonly plugins: string[] = [];
  /** What holds for nodes that were not asked. */
  absentNodesStatus: Status | undefined;
  /** Said of the Pod itself, whatever the node. */
  preFilterStatus: Status | undefined;
  postFilterMessage = "";
  /** Plugins that have refused the Pod; for some of them it waits. */
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();

  addNode(node: NodeInfo, status: Status, plugin: string): void {
    this.nodes.push(node);
    this.statuses.push(status);
    this.plugins.push(plugin);
  }

  /** Only the first so many count: the others are asked again. */
  truncate(count: number): void {
    this.nodes.length = count;
    this.statuses.length = count;
    this.plugins.length = count;
  }

  /** Counts the plugins that have refused nodes among those that have refused the Pod. */
  addPluginsOfNodes(): void {
    for (let at = 0; at < this.statuses.length; at++) {
      const status = this.statuses[at];
      const plugin = this.plugins[at];
      if (status !== undefined && plugin !== undefined) this.addPlugin(plugin, status);
    }
  }

  addPlugin(plugin: string, { code }: Status): void {
    if (plugin !== "") this.unschedulablePlugins.add(plugin);
    if (plugin !== "" && code === "Pending") this.pendingPlugins.add(plugin);
  }

  /** For preemption: by name of node. Nodes that were not asked are there with what holds for them. */
  nodeToStatus(all: readonly NodeInfo[]): NodeToStatus {
    const result = new Map<string, Status>();
    if (this.absentNodesStatus !== undefined) for (const { name } of all) result.set(name, this.absentNodesStatus);
    // Most statuses are one object, given again and again by one plugin.
    const attributed = new Map<Status, Status>();
    for (let at = 0; at < this.nodes.length; at++) {
      const node = this.nodes[at];
      const status = this.statuses[at];
      if (node === undefined || status === undefined) continue;
      let known = attributed.get(status);
      if (known === undefined) {
        known = { ...status, plugin: this.plugins[at] ?? "" };
        attributed.set(status, known);
      }
      result.set(node.name, known);
    }
    return result;
  }

  /** `0/3 nodes are available: …`, as events and conditions have it. */
  message(nodes: number): string {
    return fitErrorMessage({
      nodes,
      preFilter: this.preFilterStatus === undefined ? "" : statusMessage(this.preFilterStatus),
      reasons: this.#reasons(nodes),
      postFilter: this.postFilterMessage,
    });
  }

  #reasons(nodeCount: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const count = ({ reasons }: Status, by: number): void => {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + by);
    };
    for (const status of this.statuses) count(status, 1);
    if (this.absentNodesStatus !== undefined && this.nodes.length < nodeCount) count(this.absentNodesStatus, nodeCount - this.nodes.length);
    return counts;
  }
}

export const statusMessage = ({ reasons }: Status): string => reasons.join(", ");
