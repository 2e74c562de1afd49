/** The mirrors of a node's static Pods, by namespace and name. */
import type { Pod } from "../pod/pod.ts";
import { isMirrorPod } from "../pod/source-annotations.ts";
import { MirrorPod, type MirrorPodOptions } from "./mirror-pod.ts";

interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export interface PodManagerOptions extends Omit<MirrorPodOptions, "onMirror" | "onGone"> {
  /** Of the static Pod of this name. */
  readonly onMirror: (ref: Ref, mirror: Pod | undefined) => void;
}

export class PodManager {
  readonly #options: PodManagerOptions;
  readonly #all = new Map<string, MirrorPod>();

  constructor(options: PodManagerOptions) {
    this.#options = options;
  }

  setStaticPod(ref: Ref, pod: Pod | undefined): void {
    if (pod !== undefined || this.#all.has(keyOf(ref))) this.#at(ref).setStaticPod(pod);
  }

  /** Whether it is a mirror's, or a mirror's that is gone: then no other part of the kubelet handles it. */
  observe(ref: Ref, pod: Pod | undefined): boolean {
    if (pod === undefined ? !this.#all.has(keyOf(ref)) : !isMirrorPod(pod)) return false;
    this.#at(ref).observe(pod);
    return true;
  }

  async idle(): Promise<void> {
    await Promise.all(Array.from(this.#all.values(), ({ idle }) => idle));
  }

  #at(ref: Ref): MirrorPod {
    const known = this.#all.get(keyOf(ref));
    if (known !== undefined) return known;
    const onGone = () => {
      this.#all.delete(keyOf(ref));
      mirror[Symbol.dispose]();
    };
    const mirror: MirrorPod = new MirrorPod({ ...this.#options, onMirror: (pod) => this.#options.onMirror(ref, pod), onGone });
    this.#all.set(keyOf(ref), mirror);
    return mirror;
  }
}

const keyOf = ({ namespace, name }: Ref): string => `${namespace}/${name}`;
