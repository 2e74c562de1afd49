import type { coreV1 } from "@coxswain/types";

/** The ranges of a Node's Pods, one of each family: a Node that was written before there were several of them has one in an older field. */
export const podCidrsOf = ({ spec: { podCIDR, podCIDRs = [] } = {} }: coreV1.Node): readonly string[] =>
  podCIDRs.length > 0 || podCIDR === undefined || podCIDR === "" ? podCIDRs : [podCIDR];
