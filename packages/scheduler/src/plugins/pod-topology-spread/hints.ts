/** Which changes may let a Pod in that its constraints have kept out. */
import { requiredNodes } from "@coxswain/api";
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { Node } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { nodeOf, podOf } from "../event-objects.ts";
import type { Constraint } from "./constraints.ts";

export function isSchedulableAfterPodChange(
  constraints: readonly Constraint[],
  pod: PodInfo,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): boolean {
  const [was, is] = [podOf(before), podOf(after)];
  const either = is ?? was;
  if (either === undefined) return true;
  const isItself = either.metadata?.uid === pod.uid;
  if (!isItself && either.metadata?.namespace !== pod.namespace) return false;
  const matches = (labels: Readonly<Record<string, string>> | undefined) => constraints.map(({ selector }) => selector.matches(labels));
  if (was === undefined || is === undefined) return matches(either.metadata?.labels).includes(true);
  if (isItself && constraints.some(({ honorTaints }) => honorTaints) && !deepEqual(was.spec?.tolerations, is.spec?.tolerations))
    return true;
  return !deepEqual(matches(was.metadata?.labels), matches(is.metadata?.labels));
}

export function isSchedulableAfterNodeChange(
  constraints: readonly Constraint[],
  { pod }: PodInfo,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): boolean {
  const [was, is] = [nodeOf(before), nodeOf(after)];
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const hasAll = (node: Node | undefined) => node !== undefined && keys.every((key) => node.metadata?.labels?.[key] !== undefined);
  if (was === undefined || is === undefined) return hasAll(is ?? was);
  if (hasAll(was) !== hasAll(is)) return true;
  const chooses = requiredNodes(pod.spec ?? {});
  if (constraints.some(({ honorAffinity }) => honorAffinity) && chooses(was) !== chooses(is)) return true;
  const moved = keys.some((key) => was.metadata?.labels?.[key] !== is.metadata?.labels?.[key]);
  return hasAll(is) && (moved || !deepEqual(was.spec?.taints, is.spec?.taints));
}
