/** How a rule tells packets of this node's Pods from others. */
import type { DetectLocal, NodeState } from "../contracts/configuration.ts";
import { familyOfCidr, type IpFamily } from "../contracts/ip-family.ts";
import type { Rule, Statement } from "./rules.ts";
import { differs, equals, network, saddr } from "./statements.ts";

type Match = (left: Parameters<typeof equals>[0], right: Parameters<typeof equals>[1]) => Statement;

/** Goes on with packets of this node's Pods; undefined where they cannot be told. */
export const fromLocalPod = (family: IpFamily, detect: DetectLocal, node: NodeState): Rule | undefined =>
  match(family, detect, node, equals);

/** Goes on with all other packets; undefined where they cannot be told. */
export const notFromLocalPod = (family: IpFamily, detect: DetectLocal, node: NodeState): Rule | undefined =>
  match(family, detect, node, differs);

function match(family: IpFamily, detect: DetectLocal, node: NodeState, compare: Match): Rule | undefined {
  switch (detect.mode) {
    case "none":
      return undefined;
    case "ClusterCIDR":
      return ofCidr(family, detect.cidrs, compare);
    case "NodeCIDR":
      return ofCidr(family, node.podCidrs, compare);
    case "BridgeInterface":
      return [compare({ meta: { key: "iifname" } }, detect.bridgeInterface)];
    case "InterfaceNamePrefix":
      return [compare({ meta: { key: "iifname" } }, `${detect.interfaceNamePrefix}*`)];
  }
}

function ofCidr(family: IpFamily, cidrs: readonly string[], compare: Match): Rule | undefined {
  const cidr = cidrs.find((one) => familyOfCidr(one) === family);
  return cidr === undefined ? undefined : [compare(saddr(family), network(cidr))];
}
