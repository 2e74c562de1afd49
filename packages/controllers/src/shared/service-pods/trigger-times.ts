/**
 * When that happened which an object of endpoints answers to: what the annotation
 * `endpoints.kubernetes.io/last-change-trigger-time` is for measuring how long changes take to arrive.
 */
import type { ObjectRef } from "@coxswain/client";
import { millisOf, wireTime } from "@coxswain/machinery";
import { type Pod, podCondition } from "../pods/pod-state.ts";
import type { Service } from "./membership.ts";

export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

interface Seen {
  readonly serviceMs: number;
  readonly podMs: ReadonlyMap<string, number>;
}

/** Remembers what was there the last time, so that only what is new counts. */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** On the wire; undefined when no change has a time. To be called once for each reconcile, whatever comes of it. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = keyOf(service.metadata ?? {});
    const before = this.#seen.get(key);
    const serviceMs = millisOf(service.metadata?.creationTimestamp) ?? 0;
    const podMs = new Map<string, number>();
    const fresh: number[] = serviceMs > (before?.serviceMs ?? 0) ? [serviceMs] : [];
    for (const pod of pods) {
      const { name = "" } = pod.metadata ?? {};
      const ms = millisOf(podCondition(pod, "Ready")?.lastTransitionTime);
      if (ms === undefined) continue;
      podMs.set(name, ms);
      if (ms > (before?.podMs.get(name) ?? 0)) fresh.push(ms);
    }
    this.#seen.set(key, { serviceMs, podMs });
    if (before === undefined) return wireTime(serviceMs);
    return fresh.length === 0 ? undefined : wireTime(Math.min(...fresh));
  }

  forget(ref: ObjectRef): void {
    this.#seen.delete(keyOf(ref));
  }
}

const keyOf = ({ namespace = "", name = "" }: { readonly namespace?: string | undefined; readonly name?: string }): string =>
  `${namespace}/${name}`;

export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}
