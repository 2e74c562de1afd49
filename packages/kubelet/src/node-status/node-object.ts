/** A Node as its kubelet registers it, and the part of its status that changes seldom. */
import type { coreV1 } from "@coxswain/api";
import { quantityOf } from "@coxswain/machinery";
import type { ImageInfo, RuntimeHandler } from "../runtime/runtime-status.ts";
import type { Machine } from "./machine.ts";

export type Node = coreV1.Node;
type NodeStatus = coreV1.NodeStatus;

/** What a node says of itself: its machine, versions, labels and taints. */
export interface NodeIdentity {
  readonly name: string;
  readonly machine: Machine;
  /** `name://version`. */
  readonly runtimeVersion: string;
  /** `v1.36.3+coxswain-…`. */
  readonly kubeletVersion: string;
  /** Where the kubelet's server listens; undefined where there is none. */
  readonly port: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly coreV1.Taint[];
  /** How many Pods it takes. */
  readonly maxPods: number;
  /** More that Pods may ask for: extended resources. */
  readonly extraCapacity?: Readonly<Record<string, string>>;
  readonly runtimeHandlers: readonly RuntimeHandler[];
}

/** What Kubernetes itself labels each node with; the old names too, which selectors still use. */
export function nodeLabels({ name, machine, labels }: NodeIdentity): Record<string, string> {
  const { operatingSystem: os, architecture: arch } = machine;
  return {
    "beta.kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": os,
    "kubernetes.io/arch": arch,
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": os,
    ...labels,
  };
}

const internalIps = ({ addresses: [first = "127.0.0.1"], nodeIps = [first] }: NodeIdentity["machine"]): readonly string[] => nodeIps;

/** Kept free, so that the kubelet can still evict: the memory of its default threshold. */
const reservedMemoryBytes = 100 * 1024 * 1024;
/** Kubernetes shows nine tenths of the storage as allocatable, by its default threshold. */
const allocatableStorage = 0.9;

export function nodeStatus(identity: NodeIdentity, images: readonly ImageInfo[]): NodeStatus {
  const { machine, maxPods, extraCapacity, name, port } = identity;
  const shared = { cpu: String(machine.cpus), "hugepages-1Gi": "0", "hugepages-2Mi": "0", pods: String(maxPods), ...extraCapacity };
  // As the server gives it back, so that nothing seems to have changed.
  const kib = (bytes: number): string => quantityOf(1024 * Math.max(0, Math.floor(bytes / 1024)), "BinarySI").toString();
  return {
    addresses: [...internalIps(machine).map((address) => ({ type: "InternalIP", address })), { type: "Hostname", address: name }],
    capacity: { ...shared, "ephemeral-storage": kib(machine.storageBytes), memory: kib(machine.memoryBytes) },
    allocatable: {
      ...shared,
      "ephemeral-storage": quantityOf(Math.floor(machine.storageBytes * allocatableStorage)).toString(),
      memory: kib(machine.memoryBytes - reservedMemoryBytes),
    },
    declaredFeatures: port === undefined ? declaredFeatures : [...serverFeatures, ...declaredFeatures],
    daemonEndpoints: { kubeletEndpoint: { Port: port ?? 0 } },
    images: shownImages(images),
    nodeInfo: nodeInfo(identity),
    ...(identity.runtimeHandlers.length === 0
      ? {}
      : { runtimeHandlers: identity.runtimeHandlers.map(({ name, ...features }) => ({ name, features })) }),
  };
}

/** What API servers need not do for the node: WebSockets go to its kubelet as they are, which would otherwise be spoken SPDY to. */
const serverFeatures = ["ExtendWebSocketsToKubelet"];
/** What may be changed of its Pods. */
const declaredFeatures = ["InPlacePodLevelResourcesVerticalScaling"];

const nodeInfo = ({ machine, runtimeVersion, kubeletVersion }: NodeIdentity): coreV1.NodeSystemInfo => ({
  architecture: machine.architecture,
  bootID: machine.bootId,
  containerRuntimeVersion: runtimeVersion,
  kernelVersion: machine.kernelVersion,
  kubeProxyVersion: "",
  kubeletVersion,
  machineID: machine.machineId,
  operatingSystem: machine.operatingSystem,
  osImage: machine.osImage,
  systemUUID: machine.systemUuid,
});

/** As many as the kubelet reports by default; the largest, since they decide where a Pod starts soonest. */
const maxImages = 50;
const maxNames = 5;

const shownImages = (images: readonly ImageInfo[]): coreV1.ContainerImage[] =>
  [...images]
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, maxImages)
    .map(({ digests, tags, sizeBytes }) => ({ names: [...digests, ...tags].slice(0, maxNames), sizeBytes }));
