/** Pods for which preemption makes room on a node: until they are there, others of lower rank must not take it. */
import type { Pod, PodInfo } from "../framework/pod-info.ts";

export class Nominator {
  readonly #nodes = new Map<string, readonly PodInfo[]>();
  readonly #nodeOf = new Map<string, string>();

  /** How many Pods are nominated anywhere. */
  get size(): number {
    return this.#nodeOf.size;
  }

  nominatedPods(node: string): readonly PodInfo[] {
    return this.#nodes.get(node) ?? none;
  }

  nominatedNodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** `node`: what was just decided, empty to take it back; otherwise what the Pod's status says holds. */
  set(pod: PodInfo, node: string = nominatedNode(pod.pod)): void {
    this.delete(pod.uid);
    if (node === "") return;
    this.#nodeOf.set(pod.uid, node);
    const pods = this.#nodes.get(node);
    if (pods === undefined) this.#nodes.set(node, [pod]);
    else this.#nodes.set(node, [...pods, pod]);
  }

  /** A Pod that knows nothing yet of what was decided about it keeps that. */
  update(before: Pod, pod: PodInfo): void {
    const decided = nominatedNode(before) === "" && nominatedNode(pod.pod) === "" ? this.#nodeOf.get(pod.uid) : undefined;
    this.set(pod, decided);
  }

  delete(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const rest = (this.#nodes.get(node) ?? none).filter((pod) => pod.uid !== uid);
    if (rest.length === 0) this.#nodes.delete(node);
    else this.#nodes.set(node, rest);
  }
}

const none: readonly PodInfo[] = [];

const nominatedNode = ({ status }: Pod): string => status?.nominatedNodeName ?? "";
