/** Deletes victims beside the attempts; who makes room waits meanwhile. */
import { isObjectNotFound, pods } from "@coxswain/client";
import { type ObjectMeta, wireTime } from "@coxswain/machinery";
import type { Victims } from "../../framework/extender.ts";
import type { Handle } from "../../framework/handle.ts";
import type { Pod, PodInfo } from "../../framework/pod-info.ts";
import { knownPod } from "../known-pod.ts";

/**
 * Pods whose victims are being deleted, with the last of them once it is its turn: that one is waited for no longer than
 * until the cache shows that it goes, since what its going wakes must find the Pod ready.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-scheduling/4832-async-preemption
 */
export class Evictions {
  readonly #handle: Handle;
  readonly #running = new Map<string, Pod | undefined>();

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  isUnderWay(preemptor: string): boolean {
    if (!this.#running.has(preemptor)) return false;
    const last = this.#running.get(preemptor)?.metadata;
    return last === undefined || !this.#isGoing(last);
  }

  #isGoing({ namespace, name = "", uid }: ObjectMeta): boolean {
    const pod = knownPod(this.#handle.informers, { namespace, name });
    if (pod === "unknown") return false;
    return pod === undefined || pod.metadata?.uid !== uid || pod.metadata?.deletionTimestamp !== undefined;
  }

  start(preemptor: PodInfo, node: string, { pods: all }: Victims): void {
    const victims = all.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const last = victims.at(-1);
    if (last === undefined) return;
    this.#running.set(preemptor.uid, undefined);
    this.#handle.background(async (signal) => {
      const isCleared = await this.#clearNominations(preemptor, node, signal);
      const evict = (victim: Pod): Promise<boolean> => this.#evict(victim, preemptor, node, signal);
      let isDone = (await Promise.all(victims.slice(0, -1).map(evict))).every(Boolean);
      if (isDone) {
        this.#running.set(preemptor.uid, last);
        isDone = await evict(last);
      }
      this.#running.delete(preemptor.uid);
      // Nothing may happen that would wake it.
      if (!(isDone && isCleared)) this.#handle.activate(preemptor);
    });
  }

  /** False when that failed. */
  async #evict(victim: Pod, preemptor: PodInfo, node: string, signal: AbortSignal): Promise<boolean> {
    const { name = "", namespace, uid = "", generation } = victim.metadata ?? {};
    const message = `Preempted by pod ${preemptor.uid} on node ${node}`;
    const { client } = this.#handle;
    const waiting = this.#handle.getWaitingPod(uid);
    if (waiting !== undefined) {
      waiting.reject("", "preempted");
      this.#recordPreempted(victim, preemptor, `${message} (in kube-scheduler memory).`);
      return true;
    }
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: preemptionReason,
      message: `${preemptor.pod.spec?.schedulerName ?? ""}: preempting to accommodate a higher priority pod`,
      observedGeneration: generation,
      lastTransitionTime: wireTime(client.clock.now()),
    };
    const resource = client.resource(pods, namespace);
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      if (!isMarked(victim)) await resource.patch(name, { type: "strategic", patch }, { subresource: "status", signal });
      await resource.delete(name, { preconditions: { uid }, signal });
    } catch (error) {
      // A conflict may mean that another Pod has its name: who is activated looks at what there is now.
      return isObjectNotFound(error, pods, name);
    }
    this.#recordPreempted(victim, preemptor, message);
    return true;
  }

  #recordPreempted(victim: Pod, { pod: object }: PodInfo, message: string): void {
    this.#handle.events.record(
      victim,
      { type: "Normal", reason: "Preempted", message, action: "Preempting", related: { object, kind: pods } },
      pods,
    );
  }

  /** Less important Pods that were to come to the node have to look for another place. False when that failed. */
  async #clearNominations({ priority }: PodInfo, node: string, signal: AbortSignal): Promise<boolean> {
    const clear = async ({ pod, namespace, name, uid }: PodInfo): Promise<boolean> => {
      if ((pod.status?.nominatedNodeName ?? "") === "") return true;
      const patch = { metadata: { uid }, status: { nominatedNodeName: null } };
      try {
        await this.#handle.client.resource(pods, namespace).patch(name, { type: "strategic", patch }, { subresource: "status", signal });
        return true;
      } catch (error) {
        return isObjectNotFound(error, pods, name);
      }
    };
    const lower = this.#handle.nominatedPods(node).filter((pod) => pod.priority < priority);
    return (await Promise.all(lower.map(clear))).every(Boolean);
  }
}

const preemptionReason = "PreemptionByScheduler";

const isMarked = ({ status }: Pod): boolean =>
  status?.conditions?.some(
    ({ type, status, reason }) => type === "DisruptionTarget" && status === "True" && reason === preemptionReason,
  ) === true;

/** It ends because a more important Pod needs its place. */
export const isBeingPreempted = (pod: Pod): boolean => pod.metadata?.deletionTimestamp !== undefined && isMarked(pod);
