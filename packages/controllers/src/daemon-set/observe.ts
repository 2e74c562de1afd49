/** What a DaemonSet's plan and status are made of. */

import type { Node } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";
import { isPodAvailable, isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import { type DaemonSet, isUpdated, targetNodeOf } from "./daemon-pod.ts";
import type { Placement } from "./placement.ts";

export interface ObservedDaemons {
  readonly daemonSet: DaemonSet;
  /** Of the revision that holds its template. */
  readonly hash: string;
  readonly nodes: readonly Node[];
  readonly placement: (node: Node) => Placement;
  readonly podsByNode: PodsByNode;
  /** For how long, in milliseconds, what has failed on a Node is left there: a kubelet may refuse whatever comes. */
  readonly pauseOn: (nodeName: string) => number | undefined;
  readonly nowMs: number;
}

/** Of each Node the scheduled before the others, and then the oldest first; no entry where there is none. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Without those that have ended and are on the way out: there is nothing more to do about them. */
export function podsByNode(pods: readonly Pod[]): PodsByNode {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    if (node === undefined || (isPodTerminal(pod) && isGoing(pod))) continue;
    const others = byNode.get(node);
    if (others === undefined) byNode.set(node, [pod]);
    else others.push(pod);
  }
  for (const some of byNode.values()) if (some.length > 1) some.sort(bySeniority);
  return byNode;
}

export const nameOf = ({ metadata }: Node | Pod): string => metadata?.name ?? "";

export const isGoing = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

export const isScheduled = ({ spec }: Pod): boolean => (spec?.nodeName ?? "") !== "";

const bySeniority = (a: Pod, b: Pod): number =>
  Number(isScheduled(b)) - Number(isScheduled(a)) || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1);

const createdAt = ({ metadata }: Pod): number => millisOf(metadata?.creationTimestamp) ?? 0;

export const isAvailableIn = ({ daemonSet, nowMs }: ObservedDaemons, pod: Pod): boolean =>
  isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, nowMs);

export const isUpdatedIn = ({ daemonSet, hash }: ObservedDaemons, pod: Pod): boolean => isUpdated(pod, hash, daemonSet);
