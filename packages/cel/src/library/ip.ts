/** IP addresses, one spelling or another; but no IPv4 addresses mapped to IPv6, and no addresses with zones. @see https://kep.k8s.io/4358 */
import { formatIp, goQuote, type IpAddress, parseZonedAddress } from "@coxswain/machinery";
import { instanceAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { traversesFirst } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, intType, opaqueType, stringType, typeOfTypes } from "../types/type.ts";
import { CelError, CelOpaque, CelTypeValue, type CelValue } from "../values/value.ts";

/**
 * The type of IP addresses.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library
 */
export const ipType = opaqueType("net.IP");

/** An IP address as a value. */
export class IpValue extends CelOpaque {
  override readonly type = ipType;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof IpValue)) throw noSuchOverload();
    return this.address.family === other.address.family && this.address.bits === other.address.bits;
  }
}

export const ip: CelLibrary = {
  name: "kubernetes.net.ip",
  constants: new Map([["net.IP", { type: typeOfTypes(ipType), value: new CelTypeValue("net.IP") }]]),
  functions: functionsOf({
    ip: [{ ...plain("string_to_ip", [stringType], ipType, (args) => new IpValue(parseAddress(stringAt(args, 0)))), ...traversesFirst() }],
    isIP: [
      { ...plain("is_ip", [stringType], boolType, (args) => typeof readAddress(stringAt(args, 0)) !== "string"), ...traversesFirst() },
    ],
    "ip.isCanonical": [
      { ...plain("ip_is_canonical", [stringType], boolType, (args) => isCanonical(stringAt(args, 0))), ...traversesFirst(2) },
    ],
    string: [plain("ip_to_string", [ipType], stringType, (args) => formatIp(addressAt(args)))],
    family: [method("ip_family", [ipType], intType, (args) => BigInt(addressAt(args).family))],
    isUnspecified: [asks("ip_is_unspecified", ({ bits }) => bits === 0n)],
    isLoopback: [asks("ip_is_loopback", isLoopback)],
    isLinkLocalMulticast: [asks("ip_is_link_local_multicast", isLinkLocalMulticast)],
    isLinkLocalUnicast: [asks("ip_is_link_local_unicast", isLinkLocalUnicast)],
    isGlobalUnicast: [asks("ip_is_global_unicast", isGlobalUnicast)],
  }),
};

/** @throws CelError */
export function parseAddress(text: string): IpAddress {
  const address = readAddress(text);
  if (typeof address === "string") throw new CelError(address);
  return address;
}

/** The address, or what is wrong. */
function readAddress(text: string): IpAddress | string {
  const zoned = parseZonedAddress(text);
  if (typeof zoned === "string") return `IP Address ${goQuote(text)} parse error during conversion from string: ${zoned}`;
  if (zoned.zone !== "") return `IP address ${goQuote(text)} with zone value is not allowed`;
  return zoned.address.mapped ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` : zoned.address;
}

function asks(id: string, question: (address: IpAddress) => boolean): CelOverload {
  return method(id, [ipType], boolType, (args) => question(addressAt(args)));
}

const addressAt = (args: readonly CelValue[]): IpAddress => instanceAt(IpValue, args, 0).address;

const isCanonical = (text: string): boolean => formatIp(parseAddress(text)) === text;

function isLoopback({ family, bits }: IpAddress): boolean {
  return family === 4 ? bits >> 24n === 127n : bits === 1n;
}

/** 224.0.0.0/24 or ff02::/16, the flags aside. */
function isLinkLocalMulticast({ family, bits }: IpAddress): boolean {
  return family === 4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n;
}

/** 169.254.0.0/16 or fe80::/10. */
function isLinkLocalUnicast({ family, bits }: IpAddress): boolean {
  return family === 4 ? bits >> 16n === 0xa9fen : bits >> 118n === 0x3fan;
}

/** Private addresses are global, in Go's sense. */
function isGlobalUnicast(address: IpAddress): boolean {
  const { family, bits } = address;
  const multicast = family === 4 ? bits >> 28n === 0xen : bits >> 120n === 0xffn;
  const broadcast = family === 4 && bits === 0xffffffffn;
  return bits !== 0n && !multicast && !broadcast && !isLoopback(address) && !isLinkLocalUnicast(address);
}
