import type { NodeInfo, Snapshot } from "../framework/node-info.ts";

/** The snapshot that is brought up to date before each attempt: only what has changed is replaced in it. */
export class LiveSnapshot implements Snapshot {
  nodes: NodeInfo[] = [];
  generation = 0;
  readonly imageNodes: ReadonlyMap<string, number>;
  #at: ReadonlyMap<string, number> = new Map();
  #withAffinity: readonly NodeInfo[] | undefined = [];
  #withAntiAffinity: readonly NodeInfo[] | undefined = [];

  constructor(imageNodes: ReadonlyMap<string, number>) {
    this.imageNodes = imageNodes;
  }

  get(name: string): NodeInfo | undefined {
    const at = this.#at.get(name);
    return at === undefined ? undefined : this.nodes[at];
  }

  get nodesWithAffinity(): readonly NodeInfo[] {
    this.#withAffinity ??= this.nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0);
    return this.#withAffinity;
  }

  get nodesWithRequiredAntiAffinity(): readonly NodeInfo[] {
    this.#withAntiAffinity ??= this.nodes.filter(({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0);
    return this.#withAntiAffinity;
  }

  replaceAll(nodes: NodeInfo[]): void {
    this.nodes = nodes;
    this.#at = new Map(nodes.map(({ name }, at) => [name, at]));
    this.#withAffinity = undefined;
    this.#withAntiAffinity = undefined;
  }

  /** A node that is there already. */
  replace(node: NodeInfo): void {
    const at = this.#at.get(node.name);
    if (at === undefined) return;
    const before = this.nodes[at];
    this.nodes[at] = node;
    if (before === undefined || before.podsWithAffinity.length + node.podsWithAffinity.length > 0) this.#withAffinity = undefined;
    if (before === undefined || before.podsWithRequiredAntiAffinity.length + node.podsWithRequiredAntiAffinity.length > 0)
      this.#withAntiAffinity = undefined;
  }
}
