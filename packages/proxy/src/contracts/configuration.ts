/** What a proxy is told of its node and of the cluster's network. Names are those of KubeProxyConfiguration. */
import type { IpFamily } from "./ip-family.ts";

/** How packets of the node's own Pods are told from others; `none` takes no packet for a Pod's. */
export type DetectLocal =
  | { readonly mode: "none" }
  | { readonly mode: "ClusterCIDR"; readonly cidrs: readonly string[] }
  | { readonly mode: "NodeCIDR" }
  | { readonly mode: "BridgeInterface"; readonly bridgeInterface: string }
  | { readonly mode: "InterfaceNamePrefix"; readonly interfaceNamePrefix: string };

/** What does not change while a proxy runs. */
export interface ProxyConfiguration {
  /** The name of the Node whose endpoints are local. */
  readonly nodeName: string;
  /** Masquerade whatever goes to a cluster IP. */
  readonly masqueradeAll: boolean;
  /** Which bit of a packet's mark says that it is to be masqueraded; 0 to 31. */
  readonly masqueradeBit: number;
  readonly detectLocal: DetectLocal;
  /** The networks whose addresses accept node ports; none: all addresses of the machine but the loopback. */
  readonly nodePortAddresses: readonly string[];
}

/** What is known of the node now. */
export interface NodeState {
  /** Its `topology.kubernetes.io/zone`. */
  readonly zone: string | undefined;
  readonly podCidrs: readonly string[];
  /** Its InternalIP of each family, as far as it has one. */
  readonly nodeIps: Readonly<Partial<Record<IpFamily, string>>>;
  /** All addresses of the machine's interfaces. */
  readonly interfaceAddresses: readonly string[];
  /** The ranges of the cluster's ServiceCIDRs: what goes to an address in them that no Service has is dropped. */
  readonly serviceCidrs: readonly string[];
}
