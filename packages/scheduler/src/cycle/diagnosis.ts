/** Why no node was found, gathered while it was looked for. */
import { fitMessage } from "../framework/fit-message.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { NodeVerdicts } from "../framework/plugin.ts";
import type { Verdict } from "../framework/verdict.ts";

export class Diagnosis {
  /** Every node that was asked and said no, and in the same place what it said and which plugin spoke for it. */
  readonly nodes: NodeInfo[] = [];
  readonly verdicts: Verdict[] = [];
  readonly plugins: string[] = [];
  /** What holds for nodes that were not asked. */
  others: Verdict | undefined;
  /** Said of the Pod itself, whatever the node. */
  preFilterVerdict: Verdict | undefined;
  postFilterMessage = "";
  /** Plugins that have refused the Pod; for some of them it waits. */
  readonly refusedBy = new Set<string>();
  readonly pendingOn = new Set<string>();

  refuse(node: NodeInfo, verdict: Verdict, plugin: string): void {
    this.nodes.push(node);
    this.verdicts.push(verdict);
    this.plugins.push(plugin);
  }

  /** Only the first so many count: the others are asked again. */
  takeBack(count: number): void {
    this.nodes.length = count;
    this.verdicts.length = count;
    this.plugins.length = count;
  }

  /** Counts the plugins that have refused nodes among those that have refused the Pod. */
  countPlugins(): void {
    for (let at = 0; at < this.verdicts.length; at++) {
      const verdict = this.verdicts[at];
      const plugin = this.plugins[at];
      if (verdict !== undefined && plugin !== undefined) this.note(plugin, verdict);
    }
  }

  note(plugin: string, { kind }: Verdict): void {
    if (plugin !== "") this.refusedBy.add(plugin);
    if (plugin !== "" && kind === "pending") this.pendingOn.add(plugin);
  }

  /** For preemption: by name of node. Nodes that were not asked are there with what holds for them. */
  byNode(all: readonly NodeInfo[]): NodeVerdicts {
    const result = new Map<string, Verdict>();
    if (this.others !== undefined) for (const { name } of all) result.set(name, this.others);
    // Most verdicts are one object, given again and again by one plugin.
    const attributed = new Map<Verdict, Verdict>();
    for (let at = 0; at < this.nodes.length; at++) {
      const node = this.nodes[at];
      const verdict = this.verdicts[at];
      if (node === undefined || verdict === undefined) continue;
      let known = attributed.get(verdict);
      if (known === undefined) {
        known = { ...verdict, plugin: this.plugins[at] ?? "" };
        attributed.set(verdict, known);
      }
      result.set(node.name, known);
    }
    return result;
  }

  /** `0/3 nodes are available: …`, as events and conditions have it. */
  message(nodes: number): string {
    return fitMessage({
      nodes,
      preFilter: this.preFilterVerdict === undefined ? "" : messageOf(this.preFilterVerdict),
      reasons: this.#reasons(nodes),
      postFilter: this.postFilterMessage,
    });
  }

  #reasons(nodeCount: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const count = ({ reasons }: Verdict, by: number): void => {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + by);
    };
    for (const verdict of this.verdicts) count(verdict, 1);
    if (this.others !== undefined && this.nodes.length < nodeCount) count(this.others, nodeCount - this.nodes.length);
    return counts;
  }
}

export const messageOf = ({ reasons }: Verdict): string => reasons.join(", ");
