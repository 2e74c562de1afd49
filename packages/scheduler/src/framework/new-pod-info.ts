import { type coreV1, podRequests, type ResourceAmounts, requestsAsPod } from "@coxswain/api";
import { deepEqual, isBadRequest, labelSelectorFromObject, quantityOf } from "@coxswain/machinery";
import type { AffinityTerm, WeightedAffinityTerm } from "./affinity-term.ts";
import type { HostPort, Pod, PodInfo } from "./pod-info.ts";
import { resourcesOf, sameResources } from "./resources.ts";

/** A Pod is the server's own: label keys of its affinity terms stand in their selectors already. */
export function newPodInfo(pod: Pod): PodInfo {
  const { metadata = {}, spec } = pod;
  const { namespace = "default", name = "", uid = "", labels = {} } = metadata;
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const amounts = podRequests(pod);
  const requests = resourcesOf(amounts);
  const { milliCpu, memory } = nonZero(pod, amounts) ?? requests;
  return {
    pod,
    uid,
    namespace,
    name,
    key: `${namespace}/${name}`,
    labels,
    priority: spec?.priority ?? 0,
    requests,
    nonZeroRequests: { ...requests, milliCpu, memory },
    hostPorts: hostPortsOf(spec),
    requiredAffinity: termsOf(namespace, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: termsOf(namespace, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: weightedTermsOf(namespace, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: weightedTermsOf(namespace, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
    claims: claimsOf(name, spec),
  };
}

/**
 * Takes over a newer version of the same Pod, where nothing differs that has been worked out of it. False: it is to be made
 * again. Most changes of a running Pod are none to the scheduler.
 */
export function refreshPodInfo(info: PodInfo, pod: Pod): boolean {
  const { labels, deletionTimestamp } = pod.metadata ?? {};
  if (deletionTimestamp !== info.pod.metadata?.deletionTimestamp || !deepEqual(labels ?? {}, info.labels)) return false;
  const amounts = podRequests(pod);
  const requests = resourcesOf(amounts);
  if (!sameResources(requests, info.requests)) return false;
  // A resize may leave the sum as it is, and have less stand in for what a container does not ask for.
  const { milliCpu, memory } = nonZero(pod, amounts) ?? requests;
  if (milliCpu !== info.nonZeroRequests.milliCpu || memory !== info.nonZeroRequests.memory) return false;
  const held: { pod: Pod } = info;
  held.pod = pod;
  return true;
}

/** So that Pods that ask for nothing do not all land on one node. */
const perContainer = new Map([
  ["cpu", quantityOf(100, "DecimalSI", -3)],
  ["memory", quantityOf(200 * 1024 * 1024, "DecimalSI")],
]);

/** Undefined when it is what the Pod asks for. */
function nonZero(pod: Pod, amounts: ResourceAmounts): { readonly milliCpu: number; readonly memory: number } | undefined {
  const missing = requestsAsPod(pod) ? new Map([...perContainer].filter(([name]) => !amounts.has(name))) : perContainer;
  return missing.size === 0 ? undefined : resourcesOf(podRequests(pod, { missing }));
}

const noPorts: readonly HostPort[] = [];

function hostPortsOf(spec: coreV1.PodSpec | undefined): readonly HostPort[] {
  let found: HostPort[] | undefined;
  const take = ({ ports }: coreV1.Container): void => {
    for (const { hostPort = 0, hostIP, protocol } of ports ?? []) {
      if (hostPort <= 0) continue;
      found ??= [];
      found.push({ ip: hostIP || "0.0.0.0", protocol: protocol || "TCP", port: hostPort });
    }
  };
  for (const container of spec?.initContainers ?? []) if (container.restartPolicy === "Always") take(container);
  for (const container of spec?.containers ?? []) take(container);
  return found ?? noPorts;
}

const noTerms: readonly WeightedAffinityTerm[] = [];

/** None when one cannot be read, as with Kubernetes: the server lets none in that cannot. */
function termsOf(namespace: string, terms: readonly coreV1.PodAffinityTerm[] | undefined): readonly AffinityTerm[] {
  return terms === undefined ? noTerms : reading(() => terms.map((term) => termOf(namespace, term)));
}

function weightedTermsOf(namespace: string, terms: readonly coreV1.WeightedPodAffinityTerm[] | undefined): readonly WeightedAffinityTerm[] {
  if (terms === undefined) return noTerms;
  return reading(() => terms.map(({ weight, podAffinityTerm }) => ({ ...termOf(namespace, podAffinityTerm), weight })));
}

function reading<T extends AffinityTerm>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (!isBadRequest(error)) throw error;
    return [];
  }
}

function termOf(namespace: string, term: coreV1.PodAffinityTerm): AffinityTerm {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term;
  return {
    namespaces: new Set(namespaces.length === 0 && namespaceSelector === undefined ? [namespace] : namespaces),
    namespaceSelector: namespaceSelector === undefined ? undefined : labelSelectorFromObject(namespaceSelector),
    selector: labelSelectorFromObject(labelSelector),
    topologyKey,
  };
}

const noClaims: readonly string[] = [];

function claimsOf(podName: string, spec: coreV1.PodSpec | undefined): readonly string[] {
  let found: string[] | undefined;
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
    if (claim === undefined) continue;
    found ??= [];
    found.push(claim);
  }
  return found ?? noClaims;
}
