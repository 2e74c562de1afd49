/** A Node with what runs on it and what has been promised to Pods on their way there. Changed by the cache alone. */
import type { coreV1 } from "@coxswain/api";
import type { HostPort, PodInfo } from "./pod-info.ts";
import type { Resources } from "./resources.ts";

/** A Node as the API has it. */
export type Node = coreV1.Node;

/** A NodeInfo is a Node with the Pods on it, assumed ones too, and sums over them: kube-scheduler's `framework.NodeInfo`. */
export interface NodeInfo {
  readonly name: string;
  readonly node: Node;
  readonly labels: Readonly<Record<string, string>>;
  /** Rises with each change of this node or its Pods: what was computed at one generation holds for it. */
  readonly generation: number;
  readonly pods: readonly PodInfo[];
  /** Those of `pods` with any affinity or anti-affinity. */
  readonly podsWithAffinity: readonly PodInfo[];
  readonly podsWithRequiredAntiAffinity: readonly PodInfo[];
  /** Sum over `pods`; `pods` in it is their number. */
  readonly requested: Readonly<Resources>;
  readonly nonZeroRequested: Readonly<Resources>;
  readonly allocatable: Readonly<Resources>;
  /**
   * What is left at the least, in small integers: engines keep them in the object itself, and by these alone most nodes are
   * judged, hundreds for each Pod. Who needs more than this is left looks at the exact amounts.
   */
  readonly freePods: number;
  readonly freeMilliCpu: number;
  readonly freeMebibytes: number;
  readonly freeStorageMebibytes: number;
  /** Cordoned, as its spec says. */
  readonly unschedulable: boolean;
  /** Undefined: none, as nearly everywhere. */
  readonly taints: readonly coreV1.Taint[] | undefined;
  readonly usedPorts: readonly HostPort[];
  /** Bytes of each image on the node, by every name that it has. */
  readonly images: ReadonlyMap<string, number>;
  /** How many Pods here use a claim, by `namespace/name`. */
  readonly claimUsers: ReadonlyMap<string, number>;
}

/** A Snapshot has all NodeInfos at one moment: it does not change during a scheduling cycle. */
export interface Snapshot {
  /** In the order in which they are tried: zones in turn. */
  readonly nodes: readonly NodeInfo[];
  get(name: string): NodeInfo | undefined;
  readonly nodesWithAffinity: readonly NodeInfo[];
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[];
  /** How many nodes have an image, by each of its names. */
  readonly imageNodes: ReadonlyMap<string, number>;
  /**
   * The nodes that are others than in the snapshot of that generation, some maybe twice, as long as `nodes` is the same list;
   * undefined when that is not known any more.
   */
  changesSince?(generation: number): readonly NodeInfo[] | undefined;
  /** How many Nodes there are in each zone and so on are plugins' own business; this is for their caches. */
  readonly generation: number;
}
