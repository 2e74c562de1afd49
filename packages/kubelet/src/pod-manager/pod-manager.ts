/** The mirrors of a node's static Pods, by namespace and name. */
import type { Pod } from "../pod/pod.ts";
import { isMirror } from "../pod/source-annotations.ts";
import { Mirror, type MirrorOptions } from "./mirror-pod.ts";

interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export interface MirrorsOptions extends Omit<MirrorOptions, "onMirror" | "onGone"> {
  /** Of the static Pod of this name. */
  readonly onMirror: (ref: Ref, mirror: Pod | undefined) => void;
}

export class Mirrors {
  readonly #options: MirrorsOptions;
  readonly #all = new Map<string, Mirror>();

  constructor(options: MirrorsOptions) {
    this.#options = options;
  }

  want(ref: Ref, pod: Pod | undefined): void {
    if (pod !== undefined || this.#all.has(keyOf(ref))) this.#at(ref).want(pod);
  }

  /** Whether it is a mirror's, or a mirror's that is gone: then it is nobody else's business. */
  see(ref: Ref, pod: Pod | undefined): boolean {
    if (pod === undefined ? !this.#all.has(keyOf(ref)) : !isMirror(pod)) return false;
    this.#at(ref).see(pod);
    return true;
  }

  async idle(): Promise<void> {
    await Promise.all(Array.from(this.#all.values(), ({ idle }) => idle));
  }

  #at(ref: Ref): Mirror {
    const known = this.#all.get(keyOf(ref));
    if (known !== undefined) return known;
    const onGone = () => {
      this.#all.delete(keyOf(ref));
      mirror[Symbol.dispose]();
    };
    const mirror: Mirror = new Mirror({ ...this.#options, onMirror: (pod) => this.#options.onMirror(ref, pod), onGone });
    this.#all.set(keyOf(ref), mirror);
    return mirror;
  }
}

const keyOf = ({ namespace, name }: Ref): string => `${namespace}/${name}`;
