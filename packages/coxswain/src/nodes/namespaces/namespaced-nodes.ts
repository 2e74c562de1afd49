import type { InProcessComponent } from "../../components/start-component.ts";
import type { NamespacedNode, NetworkPlan } from "./network-plan.ts";
import type { NodeCredentials } from "./node-files.ts";

/** Where the nodes are, and as who. */
export interface NamespacedNodes {
  readonly plan: NetworkPlan;
  /** Of the API server, where nodes reach it. */
  readonly server: string;
  readonly credentials: (node: NamespacedNode) => NodeCredentials;
  /** Whether Pods get their addresses from this process. */
  readonly hasPodNetwork: boolean;
  /** Whether NetworkPolicies are enforced from this process. */
  readonly enforcesPolicies: boolean;
  /**
   * What leads packets of Services in the node's namespace; undefined where that is left to others.
   * @param masqueradeAll whether answers of Pods would else go past the rules
   */
  readonly startProxy: (node: NamespacedNode, masqueradeAll: boolean) => Promise<InProcessComponent | undefined>;
}
