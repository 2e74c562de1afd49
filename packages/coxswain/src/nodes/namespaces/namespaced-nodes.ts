import type { InProcessComponent } from "../../components/start-in-process.ts";
import type { NamespacedNode, NetworkPlan } from "./network-plan.ts";
import type { NodeCredentials } from "./node-files.ts";

export interface ProxyChoices {
  /** By which interface packets of the node's own Pods come. */
  readonly bridgeInterface: string;
  /** Whether answers of Pods would else go past the rules. */
  readonly masqueradeAll: boolean;
}

/** Where the nodes are, and as who. */
export interface NamespacedNodes {
  readonly plan: NetworkPlan;
  /** Of the API server, where nodes reach it. */
  readonly server: string;
  readonly credentials: (node: NamespacedNode) => NodeCredentials;
  /** What leads packets of Services in the node's namespace; undefined where that is left to others. */
  readonly startProxy: (node: NamespacedNode, choices: ProxyChoices) => Promise<InProcessComponent | undefined>;
}
