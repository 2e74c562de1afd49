/**
 * Whether a Pod that was given to this node can run here: schedulers may know less than the node, or nothing.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/
 */
import { type coreV1, isRepelled, podRequests, requiredNodes } from "@coxswain/api";
import { parseQuantity, type Quantity } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";

type Node = coreV1.Node;

export interface Rejection {
  /** Of the status and the event. */
  readonly reason: string;
  readonly message: string;
}

/** Of a resource too little is left. In thousandths for CPU. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

export type FilterResult =
  | { readonly kind: "fits" }
  /** `only`: the reason, where there is just one. */
  | { readonly kind: "rejected"; readonly rejection: Rejection; readonly only: string | undefined }
  /** Would fit if there was more; `others` is what speaks against it besides. */
  | { readonly kind: "short"; readonly shortages: readonly Shortage[]; readonly others: readonly Rejection[] };

export interface Candidate {
  readonly pod: Pod;
  readonly isStatic: boolean;
}

/** `others` are the Pods that run here, or will. */
export function generalFilter({ pod, isStatic }: Candidate, node: Node, others: readonly Pod[], os: string): FilterResult {
  const wrongKind = systemRejection(pod, node, os);
  if (wrongKind !== undefined) return { kind: "rejected", rejection: wrongKind, only: wrongKind.reason };
  const shortages = shortagesOf(pod, node, others);
  const rejections = [...predicates(pod, node, others), ...(isStatic ? [] : taints(pod, node))];
  if (shortages.length > 0) return { kind: "short", shortages, others: rejections };
  const [rejection] = rejections;
  if (rejection === undefined) return { kind: "fits" };
  return { kind: "rejected", rejection, only: rejections.length === 1 ? rejection.reason : undefined };
}

export const rejectionOf = ({ resource, requested, used, capacity }: Shortage): Rejection => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
});

function systemRejection({ metadata, spec }: Pod, node: Node, os: string): Rejection | undefined {
  const wanted = metadata?.labels?.["kubernetes.io/os"];
  if (wanted !== undefined && wanted !== os) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    return { reason: "PodOSSelectorNodeLabelDoesNotMatch", message };
  }
  if (spec?.os !== undefined && spec.os.name !== os)
    return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
  const isStrict = spec?.securityContext?.supplementalGroupsPolicy === "Strict";
  if (isStrict && node.status?.features?.supplementalGroupsPolicy !== true)
    return { reason: "SupplementalGroupsPolicyNotSupported", message: "SupplementalGroupsPolicy=Strict is not supported in this node" };
  return undefined;
}

const failed = (name: string, why: string): Rejection => ({ reason: name, message: `Predicate ${name} failed: ${why}` });

function predicates(pod: Pod, node: Node, others: readonly Pod[]): Rejection[] {
  const { spec } = pod;
  if (spec === undefined) return [];
  return [
    ...(requiredNodes(spec)(node) ? [] : [failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")]),
    ...(spec.nodeName === undefined || spec.nodeName === node.metadata?.name
      ? []
      : [failed("NodeName", "node(s) didn't match the requested node name")]),
    ...(portsAreFree(pod, others) ? [] : [failed("NodePorts", "node(s) didn't have free ports for the requested pod ports")]),
  ];
}

/** Only what would be sent away at once again is refused. */
const taints = ({ spec }: Pod, node: Node): Rejection[] =>
  isRepelled(node.spec?.taints, spec?.tolerations, ["NoExecute"])
    ? [failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")]
    : [];

function portsAreFree(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return true;
  const taken = others.flatMap(hostPorts);
  return wanted.every(
    (one) => !taken.some((other) => one.port === other.port && one.protocol === other.protocol && overlap(one.ip, other.ip)),
  );
}

const everywhere = "0.0.0.0";
const overlap = (a: string, b: string): boolean => a === b || a === everywhere || b === everywhere;

const hostPorts = ({ spec }: Pod) =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort === undefined || hostPort === 0 ? [] : [{ port: hostPort, ip: hostIP || everywhere, protocol: protocol ?? "TCP" }],
    ),
  );

function shortagesOf(pod: Pod, { status }: Node, others: readonly Pod[]): Shortage[] {
  const allocatable = status?.allocatable ?? {};
  const shortages: Shortage[] = [];
  const maxPods = amountOf("pods", allocatable.pods);
  if (maxPods !== undefined && others.length + 1 > maxPods)
    shortages.push({ resource: "pods", requested: 1, used: others.length, capacity: maxPods });
  for (const [resource, quantity] of podRequests(pod, { actual: false })) {
    const requested = countOf(resource, quantity);
    const capacity = amountOf(resource, allocatable[resource]);
    // Unknown to the node: an extender manages it.
    if (requested === 0 || (capacity === undefined && resource.includes("/"))) continue;
    const used = others.reduce((sum, other) => sum + usedBy(other, resource), 0);
    if (used + requested > (capacity ?? 0)) shortages.push({ resource, requested, used, capacity: capacity ?? 0 });
  }
  return shortages;
}

/** What Pods that run use is asked for with each Pod that comes. A Pod that has changed is another object. */
const amountsUsed = new WeakMap<Pod, ReadonlyMap<string, number>>();

function usedBy(pod: Pod, resource: string): number {
  let amounts = amountsUsed.get(pod);
  if (amounts === undefined) {
    amounts = new Map(Array.from(podRequests(pod), ([name, quantity]) => [name, countOf(name, quantity)]));
    amountsUsed.set(pod, amounts);
  }
  return amounts.get(resource) ?? 0;
}

export const countOf = (resource: string, quantity: Quantity): number => Number(resource === "cpu" ? quantity.milli() : quantity.value());

function amountOf(resource: string, text: string | undefined): number | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity === undefined ? undefined : countOf(resource, quantity);
}
