/** Which Pods stand behind which Services. */
import type { coreV1 } from "@coxswain/api";
import { type Change, type ObjectRef, pods, type Source, watching } from "@coxswain/client";
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import { podsByNode } from "../pods/by-node.ts";
import { isPodReady, isPodTerminal, type Pod } from "../pods/pod-state.ts";

export type Service = coreV1.Service;

/** Whether a controller looks for its Pods: others name another host, or get their endpoints from another controller. */
export const hasEndpointsOfPods = ({ spec }: Service): boolean => spec?.type !== "ExternalName" && hasSelector(spec);

const hasSelector = (spec: Service["spec"]): boolean => spec?.selector !== undefined && Object.keys(spec.selector).length > 0;

export const selects = ({ spec }: Service, labels: Readonly<Record<string, string>> | undefined): boolean =>
  hasSelector(spec) && Object.entries(spec?.selector ?? {}).every(([key, value]) => labels?.[key] === value);

/** Whether it has an address and may be an endpoint. */
export function hasAddress(pod: Pod, { terminating }: { readonly terminating: boolean }): boolean {
  if (isPodTerminal(pod)) return false;
  if ((pod.status?.podIP ?? "") === "" && (pod.status?.podIPs ?? []).length === 0) return false;
  return terminating || pod.metadata?.deletionTimestamp === undefined;
}

/** Its own name in the domain of the Service, where it has one. */
export function hostnameIn(service: Service, { metadata, spec }: Pod): string | undefined {
  const isNamed = (spec?.hostname ?? "") !== "" && spec?.subdomain === service.metadata?.name;
  return isNamed && metadata?.namespace === service.metadata?.namespace ? spec?.hostname : undefined;
}

/** Wakes the Services that a Pod stands behind, or stood behind until now, whenever that may change its endpoint. */
export const podsBehindServices = (): Source =>
  watching(
    pods,
    (pod, change, { main }) => (mattersTo(pod, change) ? servicesOf(pod, main().list({ namespace: pod.metadata?.namespace })) : []),
    { indexes: podsByNode },
  );

export function servicesOf(pod: Pod, services: readonly KubeObject[]): readonly ObjectRef[] {
  const { namespace, labels } = pod.metadata ?? {};
  return services.filter((service: Service) => selects(service, labels)).map(({ metadata }) => ({ namespace, name: metadata?.name ?? "" }));
}

/** Of an update both states are asked for: the old one matters only where the labels may lead to others. */
function mattersTo(pod: Pod, change: Change<Pod>): boolean {
  if (change.type !== "updated") return true;
  const { previous, object } = change;
  const isMoved = !deepEqual(previous.metadata?.labels, object.metadata?.labels);
  return pod === object ? isMoved || changesEndpoint(previous, object) : isMoved;
}

function changesEndpoint(before: Pod, now: Pod): boolean {
  return (
    isPodReady(before) !== isPodReady(now) ||
    isPodTerminal(before) !== isPodTerminal(now) ||
    before.metadata?.deletionTimestamp !== now.metadata?.deletionTimestamp ||
    before.spec?.nodeName !== now.spec?.nodeName ||
    before.status?.podIP !== now.status?.podIP ||
    !deepEqual(before.status?.podIPs, now.status?.podIPs)
  );
}
