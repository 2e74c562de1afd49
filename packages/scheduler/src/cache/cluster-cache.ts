/**
 * Nodes with the Pods on them, as the informers report them, and with those that this scheduler has placed and whose binding
 * no informer has reported yet.
 */
import { MutableNodeInfo } from "../framework/new-node-info.ts";
import { newPodInfo, refreshPodInfo } from "../framework/new-pod-info.ts";
import type { Node, NodeInfo, Snapshot } from "../framework/node-info.ts";
import type { Pod, PodInfo } from "../framework/pod-info.ts";
import { LiveSnapshot } from "./live-snapshot.ts";
import { NodeTree } from "./node-tree.ts";

interface CachedNode {
  draft: MutableNodeInfo;
  /** False: Pods are known on it, but there is no Node of its name, or no longer. */
  exists: boolean;
  /** A snapshot shows the draft: it must not change any more, and a copy takes its place. */
  shown: boolean;
}

interface CachedPod {
  info: PodInfo;
  node: string;
  assumed: boolean;
}

export class ClusterCache {
  readonly #nodes = new Map<string, CachedNode>();
  /** By uid. */
  readonly #pods = new Map<string, CachedPod>();
  readonly #order = new NodeTree();
  readonly #imageNodes = new Map<string, number>();
  readonly #changed = new Set<CachedNode>();
  readonly #snapshot = new LiveSnapshot(this.#imageNodes);
  #reordered = false;
  #generation = 0;
  #nodeCount = 0;
  #assumedCount = 0;

  get sizes(): { readonly nodes: number; readonly pods: number; readonly assumed: number } {
    return { nodes: this.#nodeCount, pods: this.#pods.size, assumed: this.#assumedCount };
  }

  setNode(node: Node): void {
    const name = node.metadata?.name ?? "";
    const known = this.#nodes.get(name);
    const cached = known ?? { draft: new MutableNodeInfo(node), exists: false, shown: false };
    if (known === undefined) this.#nodes.set(name, cached);
    if (cached.exists) this.#countImages(cached.draft, -1);
    else this.#nodeCount++;
    this.#open(cached).setNode(node);
    this.#countImages(cached.draft, 1);
    if (this.#order.set(name, node) || !cached.exists) this.#reordered = true;
    cached.exists = true;
  }

  removeNode(name: string): void {
    const cached = this.#nodes.get(name);
    if (cached?.exists !== true) return;
    this.#countImages(cached.draft, -1);
    this.#order.delete(name);
    this.#reordered = true;
    this.#generation++;
    this.#nodeCount--;
    cached.exists = false;
    this.#forgetEmpty(name, cached);
  }

  /** A Pod that has a node, new or changed. */
  setPod(pod: Pod): void {
    const uid = pod.metadata?.uid ?? "";
    const node = pod.spec?.nodeName ?? "";
    const known = this.#pods.get(uid);
    if (known?.assumed === true) {
      known.assumed = false;
      this.#assumedCount--;
    }
    if (known !== undefined && known.node === node && refreshPodInfo(known.info, pod)) return;
    if (known !== undefined) this.#take(known);
    this.#put({ info: newPodInfo(pod), node, assumed: false });
  }

  removePod(uid: string): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    if (known.assumed) this.#assumedCount--;
    this.#pods.delete(uid);
    this.#take(known);
  }

  /** The Pod counts on the node from now on, though it is not bound yet. @throws Error when it is somewhere already */
  assume(info: PodInfo, node: string): void {
    if (this.#pods.has(info.uid)) throw new Error(`pod ${info.uid}(${info.key}) is in the cache, so can't be assumed`);
    this.#assumedCount++;
    this.#put({ info, node, assumed: true });
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.assumed === true;
  }

  /** The Pod as it was assumed; undefined when it is not, or no longer. */
  forget(uid: string): PodInfo | undefined {
    const known = this.#pods.get(uid);
    if (known?.assumed !== true) return undefined;
    this.removePod(uid);
    return known.info;
  }

  /** As of the last call of `snapshot`. */
  get lastSnapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Everything as it is now. The last one turns into it. */
  snapshot(): Snapshot {
    const snapshot = this.#snapshot;
    if (this.#reordered) snapshot.replaceAll(this.#inOrder(), this.#generation);
    else if (this.#changed.size > 0) snapshot.replace(drafts(this.#changed), this.#generation);
    for (const cached of this.#changed) cached.shown = true;
    this.#changed.clear();
    this.#reordered = false;
    return snapshot;
  }

  #inOrder(): NodeInfo[] {
    return this.#order.names().flatMap((name) => this.#nodes.get(name)?.draft ?? []);
  }

  #put(pod: CachedPod): void {
    this.#pods.set(pod.info.uid, pod);
    let cached = this.#nodes.get(pod.node);
    if (cached === undefined) {
      cached = { draft: new MutableNodeInfo({ metadata: { name: pod.node } }), exists: false, shown: false };
      this.#nodes.set(pod.node, cached);
    }
    this.#open(cached).add(pod.info);
  }

  #take({ info, node }: CachedPod): void {
    const cached = this.#nodes.get(node);
    if (cached === undefined) return;
    this.#open(cached).remove(info);
    this.#forgetEmpty(node, cached);
  }

  #forgetEmpty(name: string, cached: CachedNode): void {
    if (cached.exists || cached.draft.pods.length > 0) return;
    this.#nodes.delete(name);
    this.#changed.delete(cached);
  }

  /** For changing. */
  #open(cached: CachedNode): MutableNodeInfo {
    if (cached.shown) {
      cached.draft = new MutableNodeInfo(cached.draft.node, cached.draft);
      cached.shown = false;
    }
    cached.draft.generation = ++this.#generation;
    this.#changed.add(cached);
    return cached.draft;
  }

  #countImages({ images }: MutableNodeInfo, sign: 1 | -1): void {
    for (const name of images.keys()) {
      const count = (this.#imageNodes.get(name) ?? 0) + sign;
      if (count > 0) this.#imageNodes.set(name, count);
      else this.#imageNodes.delete(name);
    }
  }
}

function* drafts(nodes: Iterable<CachedNode>): Iterable<NodeInfo> {
  for (const { draft, exists } of nodes) if (exists) yield draft;
}
