import type { NodeInfo, Snapshot } from "../framework/node-info.ts";

/** The snapshot that is brought up to date before each attempt: only what has changed is replaced in it. */
export class LiveSnapshot implements Snapshot {
  nodes: NodeInfo[] = [];
  generation = 0;
  readonly imageNodes: ReadonlyMap<string, number>;
  #at: ReadonlyMap<string, number> = new Map();
  /** What was replaced, and for which generation of the snapshot; from `#logSince` on nothing is missing. */
  #log: NodeInfo[] = [];
  #logAt: number[] = [];
  #logSince = 0;
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

  changesSince(generation: number): readonly NodeInfo[] | undefined {
    if (generation < this.#logSince) return undefined;
    let from = this.#log.length;
    while (from > 0 && (this.#logAt[from - 1] ?? 0) > generation) from--;
    return this.#log.slice(from);
  }

  replaceAll(nodes: NodeInfo[], generation: number): void {
    this.#forget(this.#log.length, generation);
    this.generation = generation;
    this.nodes = nodes;
    this.#at = new Map(nodes.map(({ name }, at) => [name, at]));
    this.#withAffinity = undefined;
    this.#withAntiAffinity = undefined;
  }

  /** Nodes that are there already. */
  replace(nodes: Iterable<NodeInfo>, generation: number): void {
    for (const node of nodes) this.#replace(node, generation);
    this.generation = generation;
    if (this.#log.length > maxChanges) this.#forget(this.#log.length - maxChanges / 2, generation);
  }

  #replace(node: NodeInfo, generation: number): void {
    const at = this.#at.get(node.name);
    if (at === undefined) return;
    this.#log.push(node);
    this.#logAt.push(generation);
    const before = this.nodes[at];
    this.nodes[at] = node;
    if (before === undefined || before.podsWithAffinity.length + node.podsWithAffinity.length > 0) this.#withAffinity = undefined;
    if (before === undefined || before.podsWithRequiredAntiAffinity.length + node.podsWithRequiredAntiAffinity.length > 0)
      this.#withAntiAffinity = undefined;
  }

  #forget(count: number, generation: number): void {
    this.#logSince = count === this.#log.length ? generation : (this.#logAt[count - 1] ?? 0);
    this.#log.splice(0, count);
    this.#logAt.splice(0, count);
  }
}

const maxChanges = 2_048;
