/** What a DaemonSet's plan and status are made of. */

import type { Node } from "@coxswain/api";
import { controllerRevisions, daemonSets, nodes, pods, type ReconcileContext } from "@coxswain/client";
import type { LabelSelector } from "@coxswain/machinery";
import { millisOf } from "@coxswain/machinery";
import { claim } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import { isPodAvailable, isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import type { ControllerRevision } from "../shared/revisions/revision-data.ts";
import { selectorOrNothing } from "../shared/workloads/selector.ts";
import { type DaemonSet, isUpdated, targetNodeOf } from "./daemon-pod.ts";
import type { FailedPods } from "./failed-pods.ts";
import { settleHistory } from "./history.ts";
import { type Placement, placementOf } from "./placement.ts";

export interface ObservedDaemons {
  /** The Pods that the DaemonSet controls. */
  readonly pods: readonly Pod[];
  /** Its revisions but the current one. */
  readonly oldRevisions: readonly ControllerRevision[];
  readonly daemonSet: DaemonSet;
  /** Of the revision that holds its template. */
  readonly hash: string;
  readonly nodes: readonly Node[];
  readonly placement: (node: Node) => Placement;
  readonly podsByNode: PodsByNode;
  /** For how long, in milliseconds, a failed Pod is left on its Node: a kubelet may reject whatever comes. */
  readonly pauseOn: (nodeName: string) => number | undefined;
  readonly nowMs: number;
}

/** Claims the revisions and Pods of the DaemonSet, and finds or creates the revision of its template. */
export async function observe(ctx: ReconcileContext<DaemonSet>, daemonSet: DaemonSet, failures: FailedPods): Promise<ObservedDaemons> {
  const { client, cache, signal } = ctx;
  const claims = { client, owner: daemonSet, ownerRef: daemonSets, selector: selectorOf(daemonSet), signal };
  const revisions = await claim({ ...claims, ref: controllerRevisions, candidates: ownedAndOrphans(ctx, controllerRevisions) });
  const claimed = await claim({ ...claims, ref: pods, candidates: ownedAndOrphans(ctx, pods) });
  const { hash, old } = await settleHistory(ctx, daemonSet, revisions, claimed);
  return {
    daemonSet,
    hash,
    pods: claimed,
    oldRevisions: old,
    nodes: cache(nodes).list(),
    placement: placementOf(daemonSet),
    podsByNode: podsByNode(claimed),
    pauseOn: (node) => failures.pauseOn(daemonSet, node, client.clock.monotonic()),
    // Availability now and the time of the next reconcile are of one moment.
    nowMs: client.clock.now(),
  };
}

export const selectorOf = ({ spec }: DaemonSet): LabelSelector => selectorOrNothing(spec?.selector);

/** Of each Node the scheduled before the others, and then the oldest first; no entry where there is none. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Without those that have ended and are on the way out: there is nothing more to do about them. */
export function podsByNode(pods: readonly Pod[]): PodsByNode {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    if (node === undefined || (isPodTerminal(pod) && isBeingDeleted(pod))) continue;
    const others = byNode.get(node);
    if (others === undefined) byNode.set(node, [pod]);
    else others.push(pod);
  }
  for (const some of byNode.values()) if (some.length > 1) some.sort(bySeniority);
  return byNode;
}

export const nameOf = ({ metadata }: Node | Pod): string => metadata?.name ?? "";

export const isBeingDeleted = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

export const isScheduled = ({ spec }: Pod): boolean => (spec?.nodeName ?? "") !== "";

const bySeniority = (a: Pod, b: Pod): number =>
  Number(isScheduled(b)) - Number(isScheduled(a)) || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1);

const createdAt = ({ metadata }: Pod): number => millisOf(metadata?.creationTimestamp) ?? 0;

export const isAvailableIn = ({ daemonSet, nowMs }: ObservedDaemons, pod: Pod): boolean =>
  isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, nowMs);

export const isUpdatedIn = ({ daemonSet, hash }: ObservedDaemons, pod: Pod): boolean => isUpdated(pod, hash, daemonSet);
