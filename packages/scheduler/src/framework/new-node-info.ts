import { readAmounts } from "@coxswain/api";
import { newPodInfo } from "./new-pod-info.ts";
import type { Node, NodeInfo } from "./node-info.ts";
import type { HostPort, Pod, PodInfo } from "./pod-info.ts";
import { addResources, copyResources, noResources, resourcesOf } from "./resources.ts";

/** A node with these Pods on it. */
export function newNodeInfo(node: Node, pods: readonly (Pod | PodInfo)[] = []): NodeDraft {
  const draft = new NodeDraft(node);
  for (const pod of pods) draft.add(isPodInfo(pod) ? pod : newPodInfo(pod));
  return draft;
}

const isPodInfo = (pod: Pod | PodInfo): pod is PodInfo => "requests" in pod;

/** One's own copy of a node, for thinking ahead. */
export const copyOfNode = (info: NodeInfo): NodeDraft => new NodeDraft(info.node, info);

/** A node to which Pods are added and from which they are taken, its sums kept as that happens. */
export class NodeDraft implements NodeInfo {
  readonly name: string;
  node: Node;
  labels: Readonly<Record<string, string>>;
  generation: number;
  readonly pods: PodInfo[];
  readonly podsWithAffinity: PodInfo[];
  readonly podsWithRequiredAntiAffinity: PodInfo[];
  readonly requested;
  readonly nonZeroRequested;
  allocatable;
  readonly usedPorts: HostPort[];
  images: ReadonlyMap<string, number>;
  readonly claimUsers: Map<string, number>;

  constructor(node: Node, from?: NodeInfo) {
    this.name = node.metadata?.name ?? "";
    this.node = node;
    this.labels = node.metadata?.labels ?? {};
    this.generation = from?.generation ?? 0;
    this.pods = from?.pods.slice() ?? [];
    this.podsWithAffinity = from?.podsWithAffinity.slice() ?? [];
    this.podsWithRequiredAntiAffinity = from?.podsWithRequiredAntiAffinity.slice() ?? [];
    this.requested = from === undefined ? noResources() : copyResources(from.requested);
    this.nonZeroRequested = from === undefined ? noResources() : copyResources(from.nonZeroRequested);
    this.allocatable = from?.allocatable ?? allocatableOf(node);
    this.usedPorts = from?.usedPorts.slice() ?? [];
    this.images = from?.images ?? imagesOf(node);
    this.claimUsers = new Map(from?.claimUsers);
  }

  /** The Node as it is now; its name stays. */
  setNode(node: Node): void {
    this.node = node;
    this.labels = node.metadata?.labels ?? {};
    this.allocatable = allocatableOf(node);
    this.images = imagesOf(node);
  }

  add(pod: PodInfo): void {
    this.pods.push(pod);
    if (pod.hasAffinity) this.podsWithAffinity.push(pod);
    if (pod.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity.push(pod);
    this.#count(pod, 1);
    for (const port of pod.hostPorts) this.usedPorts.push(port);
    for (const claim of pod.claims) {
      const key = `${pod.namespace}/${claim}`;
      this.claimUsers.set(key, (this.claimUsers.get(key) ?? 0) + 1);
    }
  }

  /** By its uid. False: it is not here. */
  remove({ uid }: Pick<PodInfo, "uid">): boolean {
    const pod = takeOut(this.pods, uid);
    if (pod === undefined) return false;
    if (pod.hasAffinity) takeOut(this.podsWithAffinity, uid);
    if (pod.requiredAntiAffinity.length > 0) takeOut(this.podsWithRequiredAntiAffinity, uid);
    this.#count(pod, -1);
    for (const { ip, protocol, port } of pod.hostPorts) {
      const at = this.usedPorts.findIndex((used) => used.port === port && used.protocol === protocol && used.ip === ip);
      if (at >= 0) this.usedPorts.splice(at, 1);
    }
    for (const claim of pod.claims) {
      const key = `${pod.namespace}/${claim}`;
      const users = (this.claimUsers.get(key) ?? 0) - 1;
      if (users > 0) this.claimUsers.set(key, users);
      else this.claimUsers.delete(key);
    }
    return true;
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    addResources(this.requested, pod.requests, sign);
    addResources(this.nonZeroRequested, pod.nonZeroRequests, sign);
    this.requested.pods += sign;
    this.nonZeroRequested.pods += sign;
  }
}

/** Order means nothing, so the last takes the place of the one taken out. */
function takeOut(pods: PodInfo[], uid: string): PodInfo | undefined {
  const at = pods.findIndex((pod) => pod.uid === uid);
  if (at < 0) return undefined;
  const found = pods[at];
  const last = pods.pop();
  if (last !== undefined && at < pods.length) pods[at] = last;
  return found;
}

const allocatableOf = ({ status }: Node) => resourcesOf(readAmounts(status?.allocatable));

const noImages: ReadonlyMap<string, number> = new Map();

function imagesOf({ status }: Node): ReadonlyMap<string, number> {
  if (!status?.images?.length) return noImages;
  const images = new Map<string, number>();
  for (const { names, sizeBytes } of status.images) for (const name of names ?? []) images.set(name, Number(sizeBytes ?? 0));
  return images;
}
