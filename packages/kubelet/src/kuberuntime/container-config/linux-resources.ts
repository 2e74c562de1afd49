/**
 * What requests and limits mean to the kernel, and who goes first when memory runs out.
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run
 */
import { aggregateResources, qosClass } from "@coxswain/api";
import { parseQuantity, type Quantity } from "@coxswain/machinery";
import type { Container, Pod } from "../../pod/pod.ts";
import type { LinuxResources } from "../../runtime/runtime-config.ts";

/** Microseconds. */
const period = 100_000;
const minQuota = 1_000;
const minShares = 2;
const maxShares = 262_144;
const guaranteedScore = -997;
const bestEffortScore = 1000;

export function linuxResources(pod: Pod, container: Container, nodeMemoryBytes: number): LinuxResources {
  const { requests, limits } = container.resources ?? {};
  const ofPod = pod.spec?.resources?.limits;
  const cpuLimit = stated(limits?.cpu) ?? stated(ofPod?.cpu);
  const memoryLimit = stated(limits?.memory) ?? stated(ofPod?.memory);
  const cpuRequest = requests?.cpu === undefined ? cpuLimit : stated(requests.cpu);
  const limited = cpuLimit?.milli() ?? 0n;
  return {
    cpuPeriod: period,
    cpuQuota: limited === 0n ? 0 : Math.max(minQuota, Number((limited * BigInt(period)) / 1000n)),
    cpuShares: sharesOf(cpuRequest),
    ...(memoryLimit === undefined ? {} : { memoryLimitBytes: Number(memoryLimit.value()) }),
    oomScoreAdj: oomScore(pod, container, nodeMemoryBytes),
  };
}

/** Relative to the kubelet's own, as Kubernetes' own arranges them. */
export function cgroupParent({ metadata, spec }: Pod, root: string): string {
  const qos = spec === undefined ? "BestEffort" : qosClass(spec);
  const middle = qos === "Guaranteed" ? [] : [qos.toLowerCase()];
  return [root, ...middle, `pod${metadata?.uid ?? ""}`].join("/");
}

function sharesOf(cpu: Quantity | undefined): number {
  const shares = ((cpu?.milli() ?? 0n) * 1024n) / 1000n;
  return Math.min(maxShares, Math.max(minShares, Number(shares)));
}

/** Higher goes first: a container that uses more than it asked for before one that does not. */
export function oomScore(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  const { spec } = pod;
  if (spec === undefined || isNodeCritical(pod)) return guaranteedScore;
  const qos = qosClass(spec);
  if (qos === "Guaranteed") return guaranteedScore;
  if (qos === "BestEffort" || nodeMemoryBytes <= 0) return bestEffortScore;
  const capacity = BigInt(Math.floor(nodeMemoryBytes));
  const extra = unassignedMemory(pod);
  const score = (request: bigint): bigint => 1000n - (1000n * (request + extra)) / capacity;
  let adjusted = score(memoryRequest(container));
  if (container.restartPolicy === "Always" && spec.initContainers?.some(({ name }) => name === container.name)) {
    const [least = 0n] = (spec.containers ?? []).map(memoryRequest).sort((a, b) => (a < b ? -1 : 1));
    // A sidecar does not go before the containers that it serves.
    if (score(least) < adjusted) adjusted = score(least);
  }
  return Math.min(bestEffortScore - 1, Math.max(1000 + guaranteedScore, Number(adjusted)));
}

const isNodeCritical = ({ metadata, spec }: Pod): boolean => {
  const isStatic = (metadata?.annotations?.["kubernetes.io/config.source"] ?? "api") !== "api";
  const isMirror = metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  return spec?.priorityClassName === "system-node-critical" && (isStatic || isMirror || (spec.priority ?? 0) >= 2_000_000_000);
};

/** What the Pod asks for as a whole beyond its containers, for each of them. */
function unassignedMemory({ spec }: Pod): bigint {
  const ofPod = stated(spec?.resources?.requests?.memory);
  if (ofPod === undefined || spec === undefined) return 0n;
  const asked = aggregateResources(spec, "requests").get("memory")?.value() ?? 0n;
  const containers = BigInt((spec.containers ?? []).length + (spec.initContainers ?? []).length);
  return (ofPod.value() - asked) / containers;
}

const memoryRequest = (container: Container): bigint => stated(container.resources?.requests?.memory)?.value() ?? 0n;

/** Undefined for nothing, and for zero. */
function stated(text: string | undefined): Quantity | undefined {
  const amount = text === undefined ? undefined : parseQuantity(text);
  return amount === undefined || amount.sign() === 0 ? undefined : amount;
}
