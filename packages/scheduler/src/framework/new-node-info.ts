import { readAmounts } from "@coxswain/api";
import { newPodInfo } from "./new-pod-info.ts";
import type { Node, NodeInfo } from "./node-info.ts";
import type { HostPort, Pod, PodInfo } from "./pod-info.ts";
import { addResources, copyResources, noResources, type Resources, resourcesOf } from "./resources.ts";

/** A node with these Pods on it. */
export function newNodeInfo(node: Node, pods: readonly (Pod | PodInfo)[] = []): MutableNodeInfo {
  const draft = new MutableNodeInfo(node);
  for (const pod of pods) draft.add(isPodInfo(pod) ? pod : newPodInfo(pod));
  return draft;
}

const isPodInfo = (pod: Pod | PodInfo): pod is PodInfo => "requests" in pod;

/** One's own copy of a node, for thinking ahead. */
export const copyOfNode = (info: NodeInfo): MutableNodeInfo => new MutableNodeInfo(info.node, info);

/**
 * A node to which Pods are added and from which they are taken, its sums kept as that happens. Its lists and sums are
 * replaced, never changed: copies share them.
 */
export class MutableNodeInfo implements NodeInfo {
  // First what nearly every Pod asks of nearly every node: together it is one look into memory.
  freePods = 0;
  freeMilliCpu = 0;
  freeMebibytes = 0;
  freeStorageMebibytes = 0;
  unschedulable: boolean;
  taints: NodeInfo["taints"];
  node: Node;
  allocatable: Readonly<Resources>;
  requested: Readonly<Resources>;
  nonZeroRequested: Readonly<Resources>;
  readonly name: string;
  labels: Readonly<Record<string, string>>;
  generation: number;
  pods: readonly PodInfo[];
  podsWithAffinity: readonly PodInfo[];
  podsWithRequiredAntiAffinity: readonly PodInfo[];
  usedPorts: readonly HostPort[];
  images: ReadonlyMap<string, number>;
  claimUsers: ReadonlyMap<string, number>;

  constructor(node: Node, from?: NodeInfo) {
    this.name = node.metadata?.name ?? "";
    this.node = node;
    this.unschedulable = node.spec?.unschedulable === true;
    this.taints = taintsOf(node);
    this.labels = node.metadata?.labels ?? {};
    this.generation = from?.generation ?? 0;
    this.pods = from?.pods ?? none;
    this.podsWithAffinity = from?.podsWithAffinity ?? none;
    this.podsWithRequiredAntiAffinity = from?.podsWithRequiredAntiAffinity ?? none;
    this.requested = from?.requested ?? nothing;
    this.nonZeroRequested = from?.nonZeroRequested ?? nothing;
    this.allocatable = from?.allocatable ?? allocatableOf(node);
    this.usedPorts = from?.usedPorts ?? none;
    this.images = from?.images ?? imagesOf(node);
    this.claimUsers = from?.claimUsers ?? noCounts;
    this.#measure();
  }

  /** The Node as it is now; its name stays. */
  setNode(node: Node): void {
    this.node = node;
    this.unschedulable = node.spec?.unschedulable === true;
    this.taints = taintsOf(node);
    this.labels = node.metadata?.labels ?? {};
    this.allocatable = allocatableOf(node);
    this.images = imagesOf(node);
    this.#measure();
  }

  add(pod: PodInfo): void {
    this.pods = [...this.pods, pod];
    if (pod.hasAffinity) this.podsWithAffinity = [...this.podsWithAffinity, pod];
    if (pod.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity = [...this.podsWithRequiredAntiAffinity, pod];
    if (pod.hostPorts.length > 0) this.usedPorts = [...this.usedPorts, ...pod.hostPorts];
    this.#count(pod, 1);
  }

  /** By its uid. False: it is not here. */
  remove({ uid }: Pick<PodInfo, "uid">): boolean {
    const pod = this.pods.find((one) => one.uid === uid);
    if (pod === undefined) return false;
    const others = (pods: readonly PodInfo[]): readonly PodInfo[] => pods.filter((one) => one !== pod);
    this.pods = others(this.pods);
    if (pod.hasAffinity) this.podsWithAffinity = others(this.podsWithAffinity);
    if (pod.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity = others(this.podsWithRequiredAntiAffinity);
    if (pod.hostPorts.length > 0) this.usedPorts = without(this.usedPorts, pod.hostPorts);
    this.#count(pod, -1);
    return true;
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    this.requested = withPod(this.requested, pod.requests, sign);
    this.nonZeroRequested = withPod(this.nonZeroRequested, pod.nonZeroRequests, sign);
    if (pod.claims.length > 0) this.claimUsers = withClaims(this.claimUsers, pod, sign);
    this.#measure();
  }

  #measure(): void {
    const { allocatable, requested } = this;
    this.freePods = small(allocatable.pods - this.pods.length);
    this.freeMilliCpu = small(allocatable.milliCpu - requested.milliCpu);
    this.freeMebibytes = small((allocatable.memory - requested.memory) / mebibyte);
    this.freeStorageMebibytes = small((allocatable.ephemeralStorage - requested.ephemeralStorage) / mebibyte);
  }
}

/** Bytes of a mebibyte, the unit of the free memory and storage of a NodeInfo. */
export const mebibyte = 2 ** 20;

/** Within what engines keep in an object itself. */
const small = (amount: number): number => Math.max(-smallest, Math.min(smallest, Math.floor(amount))) | 0;
const smallest = 2 ** 30 - 1;

const none: readonly never[] = [];
const nothing: Readonly<Resources> = noResources();
const noCounts: ReadonlyMap<string, number> = new Map();

function withPod(sum: Readonly<Resources>, amounts: Readonly<Resources>, sign: 1 | -1): Readonly<Resources> {
  const result = copyResources(sum);
  addResources(result, amounts, sign);
  result.pods += sign;
  return result;
}

function without(ports: readonly HostPort[], gone: readonly HostPort[]): readonly HostPort[] {
  const left = ports.slice();
  for (const { ip, protocol, port } of gone) {
    const at = left.findIndex((used) => used.port === port && used.protocol === protocol && used.ip === ip);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function withClaims(users: ReadonlyMap<string, number>, { namespace, claims }: PodInfo, sign: 1 | -1): ReadonlyMap<string, number> {
  const result = new Map(users);
  for (const claim of claims) {
    const key = `${namespace}/${claim}`;
    const count = (result.get(key) ?? 0) + sign;
    if (count > 0) result.set(key, count);
    else result.delete(key);
  }
  return result;
}

const taintsOf = ({ spec }: Node): NodeInfo["taints"] => (spec?.taints?.length ? spec.taints : undefined);

const allocatableOf = ({ status }: Node) => resourcesOf(readAmounts(status?.allocatable));

function imagesOf({ status }: Node): ReadonlyMap<string, number> {
  if (!status?.images?.length) return noCounts;
  const images = new Map<string, number>();
  for (const { names, sizeBytes } of status.images) for (const name of names ?? []) images.set(name, Number(sizeBytes ?? 0));
  return images;
}
