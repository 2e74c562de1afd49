/** Networks: an address, which may have bits beyond the prefix, and the length of the prefix. @see https://kep.k8s.io/4358 */

import { type Cidr, cidrContains, formatCidr, formatIp, goQuote, parseZonedAddress } from "@coxswain/machinery";
import { exactly, plus, scaled, traversalFactor } from "../cost/bounds.ts";
import { instanceAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { type Cost, nothing, sizeOf, traversal, traversesFirst } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary } from "../environment/library.ts";
import { boolType, intType, opaqueType, stringType, typeOfTypes } from "../types/type.ts";
import { CelError, CelOpaque, CelTypeValue, type CelValue } from "../values/value.ts";
import { IpValue, ipType, parseAddress } from "./ip.ts";

/**
 * The type of networks.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library
 */
export const cidrType = opaqueType("net.CIDR");

/** A network as a value. */
export class CidrValue extends CelOpaque {
  override readonly type = cidrType;
  readonly network: Cidr;

  constructor(network: Cidr) {
    super();
    this.network = network;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof CidrValue)) throw noSuchOverload();
    return toText(this.network) === toText(other.network);
  }
}

export const cidr: CelLibrary = {
  name: "kubernetes.net.cidr",
  constants: new Map([["net.CIDR", { type: typeOfTypes(cidrType), value: new CelTypeValue("net.CIDR") }]]),
  functions: functionsOf({
    cidr: [{ ...plain("string_to_cidr", [stringType], cidrType, (args) => parseNetwork(stringAt(args, 0))), ...traversesFirst() }],
    isCIDR: [
      { ...plain("is_cidr", [stringType], boolType, (args) => typeof readNetwork(stringAt(args, 0)) !== "string"), ...traversesFirst() },
    ],
    string: [plain("cidr_to_string", [cidrType], stringType, (args) => toText(networkAt(args)))],
    containsIP: [
      { ...method("cidr_contains_ip_string", [cidrType, stringType], boolType, containsText), ...compares(false, true) },
      { ...method("cidr_contains_ip_ip", [cidrType, ipType], boolType, containsAddress), ...compares(false, false) },
    ],
    containsCIDR: [
      { ...method("cidr_contains_cidr_string", [cidrType, stringType], boolType, containsNetworkText), ...compares(true, true) },
      { ...method("cidr_contains_cidr", [cidrType, cidrType], boolType, containsNetwork), ...compares(true, false) },
    ],
    ip: [method("cidr_ip", [cidrType], ipType, (args) => new IpValue(networkAt(args).address))],
    prefixLength: [method("cidr_prefix_length", [cidrType], intType, (args) => BigInt(networkAt(args).prefixLength))],
    masked: [method("cidr_masked", [cidrType], cidrType, (args) => parseNetwork(formatCidr(networkAt(args))))],
  }),
};

const networkAt = (args: readonly CelValue[], index = 0): Cidr => instanceAt(CidrValue, args, index).network;

const toText = ({ address, prefixLength }: Cidr): string => `${formatIp(address)}/${prefixLength}`;

/** @throws CelError */
function parseNetwork(text: string): CidrValue {
  const network = readNetwork(text);
  if (typeof network === "string") throw new CelError(`${parseError}${network}`);
  return new CidrValue(network);
}

const parseError = "network address parse error during conversion from string: ";

/** The network, or what is wrong. */
function readNetwork(text: string): Cidr | string {
  const network = readPrefix(text);
  if (typeof network === "string") return `${parseError}netip.ParsePrefix(${goQuote(text)}): ${network}`;
  return network.address.mapped ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` : network;
}

function readPrefix(text: string): Cidr | string {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return "no '/'";
  const zoned = parseZonedAddress(text.slice(0, slash));
  if (typeof zoned === "string") return zoned;
  const { address, zone } = zoned;
  if (zone !== "") return "IPv6 zones cannot be present in a prefix";
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,17})$/.test(bits)) return `bad bits after slash: ${goQuote(bits)}`;
  const most = address.family === 4 && !address.mapped ? 32 : 128;
  return Number(bits) > most ? "prefix length out of range" : { address, prefixLength: Number(bits), leadingZeros: false };
}

/** A text that is no address is not reported as such: Kubernetes finds no overload for the failure. */
function containsText(args: readonly CelValue[]): boolean {
  const network = networkAt(args);
  try {
    return cidrContains(network, parseAddress(stringAt(args, 1)));
  } catch {
    throw noSuchOverload();
  }
}

function containsAddress(args: readonly CelValue[]): boolean {
  return cidrContains(networkAt(args), instanceAt(IpValue, args, 1).address);
}

function containsNetworkText(args: readonly CelValue[]): boolean {
  return contains(networkAt(args), parseNetwork(stringAt(args, 1)).network);
}

function containsNetwork(args: readonly CelValue[]): boolean {
  return contains(networkAt(args), networkAt(args, 1));
}

function contains(outer: Cidr, inner: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);
}

/** Two addresses of 4 or 16 bytes are compared; before networks are, one is masked. A text must be parsed first. */
function compares(networks: boolean, parses: boolean): Cost {
  const bytes = { min: 4, max: 16 };
  const comparison = scaled(plus(bytes, bytes), traversalFactor);
  const masking = plus(scaled(bytes, traversalFactor), exactly(1));
  const fixed = networks ? plus(comparison, masking) : comparison;
  return {
    cost: ([network, other]) => {
      const size = network instanceof CidrValue ? Math.ceil(network.network.prefixLength / 8) : 1;
      const parsing = parses ? traversal(sizeOf(other)) : 0;
      return traversal(2 * size) + (networks ? traversal(size) + 1 : 0) + parsing;
    },
    estimate: ([, other = nothing]) => ({ cost: parses ? plus(fixed, scaled(other, traversalFactor)) : fixed }),
  };
}
