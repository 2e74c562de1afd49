/** The options of which ranges Nodes get for their Pods, called as kube-controller-manager's. */
import { parseCidr } from "@coxswain/machinery";
import { type Command, InvalidArgumentError } from "commander";
import { parseList } from "./parse-values.ts";

/** By family. */
export interface NodeCidrMaskSizes {
  readonly 4?: number;
  readonly 6?: number;
}

export interface NodeIpamOptions {
  /** Undefined: none was named. */
  readonly clusterCidrs: readonly string[] | undefined;
  readonly nodeCidrMaskSizes: NodeCidrMaskSizes;
}

export interface ParsedNodeIpamOptions {
  readonly clusterCidr?: readonly string[];
  readonly nodeCidrMaskSize?: number;
  readonly nodeCidrMaskSizeIpv4?: number;
  readonly nodeCidrMaskSizeIpv6?: number;
}

/** @param withoutIt what is the case where no range is named */
export const addNodeIpamOptions = (command: Command, withoutIt = "10.244.0.0/16 with real containers, else none"): Command =>
  command
    .option(
      "--cluster-cidr <cidrs>",
      `addresses of Pods, of which each Node gets a range; one of each family (default: ${withoutIt})`,
      parseRanges,
    )
    .option("--node-cidr-mask-size <bits>", "the length of the prefix of a Node's range, where all are of one family", parseBits)
    .option("--node-cidr-mask-size-ipv4 <bits>", "that of ranges of IPv4 (default: 24)", parseBits)
    .option("--node-cidr-mask-size-ipv6 <bits>", "that of ranges of IPv6 (default: 64)", parseBits);

/** @param fail for what does not go together; it throws */
export function nodeIpamOf(parsed: ParsedNodeIpamOptions, fail: (message: string) => never): NodeIpamOptions {
  const { clusterCidr: clusterCidrs, nodeCidrMaskSize, nodeCidrMaskSizeIpv4: size4, nodeCidrMaskSizeIpv6: size6 } = parsed;
  const families = (clusterCidrs ?? []).map(familyOf);
  if (nodeCidrMaskSize !== undefined && (size4 !== undefined || size6 !== undefined || families.length > 1))
    return fail(
      "--node-cidr-mask-size is for ranges of one family; --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 are for each",
    );
  const sizes = {
    4: families[0] === 6 ? size4 : (nodeCidrMaskSize ?? size4),
    6: families[0] === 6 ? (nodeCidrMaskSize ?? size6) : size6,
  };
  return {
    clusterCidrs,
    nodeCidrMaskSizes: { ...(sizes[4] === undefined ? {} : { 4: sizes[4] }), ...(sizes[6] === undefined ? {} : { 6: sizes[6] }) },
  };
}

const familyOf = (text: string): 4 | 6 | undefined => parseCidr(text)?.address.family;

export function parseRanges(text: string): readonly string[] {
  const ranges = parseList(text);
  const wrong = ranges.find((range) => parseCidr(range)?.address.mapped !== false);
  if (wrong !== undefined) throw new InvalidArgumentError(`${JSON.stringify(wrong)} is no network like 10.244.0.0/16.`);
  if (new Set(ranges.map(familyOf)).size < ranges.length) throw new InvalidArgumentError("There may be one of each family.");
  return ranges;
}

function parseBits(text: string): number {
  const bits = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(bits >= 1 && bits <= 128)) throw new InvalidArgumentError("It must be a number from 1 to 128.");
  return bits;
}
