/** Statements that rules of policies are made of, in the form of libnftables' JSON. */
import { type IpFamily, nftStatements, type Rule, type Statement } from "@coxswain/proxy";
import type { Protocol } from "../contracts/policy-pod.ts";
import { type AddressRanges, addressText, isEverything, type Range } from "../rules/ranges.ts";

const { concat, daddr, dport, equals, inSet, l4proto, saddr } = nftStatements;

/** Continues behind the rule that has led here. */
export const returns: Statement = { return: null };

/** Ends with this table. */
export const accept: Statement = { accept: null };

/** Goes on with packets of a connection whose first one was let through, and with errors about it. */
export const ofKnownConnection: Statement = { match: { op: "in", left: { ct: { key: "state" } }, right: ["established", "related"] } };

/** Goes on with what neighbours ask each other about their addresses, as ARP does in IPv4: between ports of a bridge it is forwarded, too. */
export const neighbourDiscovery: Statement = equals(
  { payload: { protocol: "icmpv6", field: "type" } },
  { set: ["nd-neighbor-solicit", "nd-neighbor-advert", "nd-router-solicit", "nd-router-advert"] },
);

/** Continues in the chain that the map has for the address, if it has any, and comes back. */
export const chainOf = (family: IpFamily, which: "saddr" | "daddr", map: string): Statement => ({
  vmap: { key: which === "saddr" ? saddr(family) : daddr(family), data: `@${map}` },
});

/** Goes on with packets from an address to itself that is in the set. */
export const toItself = (family: IpFamily, set: string): Statement => inSet(concat(saddr(family), daddr(family)), set);

/** Goes on with packets to an address, protocol and port of the set. */
export const toEndpoint = (family: IpFamily, set: string): Statement => inSet(concat(daddr(family), l4proto, dport), set);

/** Goes on with addresses in the ranges; undefined where none of the family is. */
export function inRanges(family: IpFamily, which: "saddr" | "daddr", addresses: AddressRanges): Rule | undefined {
  if (addresses.family !== family || addresses.ranges.length === 0) return undefined;
  if (isEverything(addresses)) return [];
  const address = which === "saddr" ? saddr(family) : daddr(family);
  return [equals(address, { set: addresses.ranges.map((range) => rangeText(range, (bits) => addressText(family, bits))) })];
}

/** Goes on with packets of the protocol to ports in the ranges; undefined: to all. */
export const toPorts = (protocol: Protocol, ranges: readonly Range[] | undefined): Rule => [
  equals(l4proto, protocol),
  ...(ranges === undefined ? [] : [equals(dport, { set: ranges.map((range) => rangeText(range, Number)) })]),
];

const rangeText = ({ first, last }: Range, text: (value: bigint) => string | number) =>
  first === last ? text(first) : { range: [text(first), text(last)] };
