/**
 * Pods whose network is there and whose containers are not yet: kubelets announce them, so that rules count before anything of a Pod
 * runs, and not only once its status names its addresses.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/#pod-lifecycle
 */
import { formatIp, parseIp } from "@coxswain/machinery";
import { type IpFamily, ipFamilies } from "@coxswain/proxy";
import type { PolicyPod } from "../contracts/policy-pod.ts";

/** A Pod as its kubelet knows it. */
export interface StartingPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
}

/** How it is waited for. */
export interface IsolationOptions {
  /** Called once it is known that a policy is about the Pod: rules are to be written. */
  readonly onSelected: () => void;
  readonly signal: AbortSignal;
}

/** What is known of an announced Pod: not there yet, no policy is about it, or one is. */
export type PodSelection = "unknown" | "open" | "selected";

/** Whoever writes rules. */
export interface StartingPodsWriter {
  selectionOf(pod: StartingPod): PodSelection;
  /** Rules are to be written. */
  noteChange(): void;
}

/** By what a Pod of the API is known to be an announced one. */
export type PodIdentity = Pick<PolicyPod, "uid" | "namespace" | "name" | "mirrorOf">;

/** Whether both are the same Pod: its kubelet knows a static one by another uid than the API has for its mirror. */
export const isAnnounced = (pod: PodIdentity, { uid, namespace, name }: StartingPod): boolean =>
  pod.uid === uid || (pod.mirrorOf === uid && pod.namespace === namespace && pod.name === name);

interface Announced {
  readonly pod: StartingPod;
  readonly addresses: PolicyPod["addresses"];
  readonly isolated: PromiseWithResolvers<void>;
  readonly onSelected: () => void;
  isSelected: boolean;
  /** Whether somebody waits. */
  isPending: boolean;
}

/** Lives as long as the kubelet and the agent may meet, whichever of them is started again. */
export class StartingPods {
  readonly #announced = new Map<string, Announced>();
  #writer: StartingPodsWriter | undefined;

  /** Resolves once rules count for its addresses, or no policy is about it. @throws the signal's reason */
  async isolated(pod: StartingPod, { onSelected, signal }: IsolationOptions): Promise<void> {
    const isolated = Promise.withResolvers<void>();
    const onAbort = (): void => isolated.reject(signal.reason);
    const announced = { pod, addresses: byFamily(pod.addresses), isolated, onSelected, isSelected: false, isPending: true };
    this.#announced.set(pod.uid, announced);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#update(announced);
    try {
      await isolated.promise;
    } finally {
      announced.isPending = false;
      signal.removeEventListener("abort", onAbort);
      // It has gone while its kubelet waited.
      if (announced.isSelected && this.#writer?.selectionOf(pod) === "unknown") this.forget(pod);
    }
  }

  /** Until it is disposed of. */
  attach(writer: StartingPodsWriter): Disposable {
    this.#writer = writer;
    // Pods that have gone while nobody looked.
    for (const { pod, isPending } of this.#announced.values())
      if (!isPending && writer.selectionOf(pod) === "unknown") this.#announced.delete(pod.uid);
    this.update();
    return {
      [Symbol.dispose]: () => {
        if (this.#writer === writer) this.#writer = undefined;
      },
    };
  }

  /** What is known of Pods and policies has changed. */
  update(): void {
    for (const announced of this.#announced.values()) this.#update(announced);
  }

  /** Of a Pod that its kubelet has announced. */
  addressesOf(pod: PodIdentity): PolicyPod["addresses"] | undefined {
    return this.#find(pod)?.addresses;
  }

  /** What was announced of it counts no longer, unless its kubelet still waits. */
  forget(pod: PodIdentity): void {
    const announced = this.#find(pod);
    if (announced?.isPending === false) this.#announced.delete(announced.pod.uid);
  }

  /** All of now. What it returns is to be called with the families of which rules are written that are computed at the same moment. */
  snapshot(): (families: readonly IpFamily[]) => void {
    const now = [...this.#announced.values()].filter(({ isSelected }) => isSelected);
    return (families) => {
      for (const { isolated, addresses } of now)
        if (ipFamilies.every((family) => addresses[family] === undefined || families.includes(family))) isolated.resolve();
    };
  }

  #find(pod: PodIdentity): Announced | undefined {
    const found = this.#announced.get(pod.uid) ?? this.#announced.get(pod.mirrorOf ?? "");
    return found !== undefined && isAnnounced(pod, found.pod) ? found : undefined;
  }

  #update(announced: Announced): void {
    if (!announced.isPending) return;
    const selection = this.#writer?.selectionOf(announced.pod);
    if (selection === "open") announced.isolated.resolve();
    if (selection !== "selected" || announced.isSelected) return;
    announced.isSelected = true;
    announced.onSelected();
    this.#writer?.noteChange();
  }
}

function byFamily(texts: readonly string[]): PolicyPod["addresses"] {
  const found: { IPv4?: string; IPv6?: string } = {};
  for (const text of texts) {
    const ip = parseIp(text);
    if (ip !== undefined) found[ip.family === 4 ? "IPv4" : "IPv6"] ??= formatIp(ip);
  }
  return found;
}
