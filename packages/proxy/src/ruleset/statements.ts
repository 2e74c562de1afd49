/** Statements and expressions in the form of libnftables' JSON. */
import { formatIp, parseCidr } from "@coxswain/machinery";
import type { IpFamily } from "../contracts/ip-family.ts";
import type { Endpoint } from "../services/endpoint.ts";
import type { Protocol } from "../services/service-port.ts";
import type { ContainerName, Statement } from "./rules.ts";

type Expression = Readonly<Record<string, unknown>> | string | number;

/** What nftables calls a family. */
export const nftFamily = (family: IpFamily): "ip" | "ip6" => (family === "IPv4" ? "ip" : "ip6");

const mark: Expression = { meta: { key: "mark" } };

/** The protocol of the packet's transport. */
export const l4proto: Expression = { meta: { key: "l4proto" } };

/** The port that it goes to. */
export const dport: Expression = { payload: { protocol: "th", field: "dport" } };

/** The packet's source address. */
export const saddr = (family: IpFamily): Expression => ({ payload: { protocol: nftFamily(family), field: "saddr" } });

/** The packet's destination address. */
export const daddr = (family: IpFamily): Expression => ({ payload: { protocol: nftFamily(family), field: "daddr" } });

/** Several expressions as the key of a set or map. */
export const concat = (...parts: readonly Expression[]): Expression => ({ concat: parts });

/** A network as an expression: a whole address where all of its bits count. */
export function network(cidr: string): Expression {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) return cidr;
  const { address, prefixLength } = parsed;
  return prefixLength === (address.family === 4 ? 32 : 128)
    ? formatIp(address)
    : { prefix: { addr: cidr.slice(0, cidr.indexOf("/")), len: prefixLength } };
}

/** One of several. */
export const oneOf = (values: readonly Expression[]): Expression => ({ set: values });

/** Goes on where both are equal. */
export const equals = (left: Expression, right: Expression): Statement => ({ match: { op: "==", left, right } });

/** Goes on where they differ. */
export const differs = (left: Expression, right: Expression): Statement => ({ match: { op: "!=", left, right } });

/** Goes on with members of the set. */
export const inSet = (left: Expression, set: string): Statement => equals(left, `@${set}`);

/** Goes on with the first packet of a connection. */
export const ctStateNew: Statement = { match: { op: "in", left: { ct: { key: "state" } }, right: "new" } };

/** Goes on with packets whose destination was translated. */
export const ctStatusDnat: Statement = { match: { op: "in", left: { ct: { key: "status" } }, right: "dnat" } };

/** Goes on where the address is one of the machine's own. */
export const localAddress = (which: "saddr" | "daddr"): Statement => equals({ fib: { result: "type", flags: [which] } }, "local");

/** Goes on in the chain that the map has for the key, if it has any. */
export const vmap = (key: Expression, container: ContainerName): Statement => ({ vmap: { key, data: `@${container}` } });

/** Continues in another chain, without coming back. */
export const goTo = (target: string): Statement => ({ goto: { target } });

/** Continues in another chain, and comes back. */
export const jump = (target: string): Statement => ({ jump: { target } });

/** Answers that nobody listens. */
export const reject: Statement = { reject: null };

/** Discards the packet. */
export const drop: Statement = { drop: null };

/** Goes on where the bit of the mark is set. */
export const markSet = (bit: number): Statement => differs({ "&": [mark, 2 ** bit] }, 0);

/** Sets the bit of the mark. */
export const setMark = (bit: number): Statement => ({ mangle: { key: mark, value: { "|": [mark, 2 ** bit] } } });

/** Takes the bit away which `markSet` has seen. */
export const toggleMark = (bit: number): Statement => ({ mangle: { key: mark, value: { "^": [mark, 2 ** bit] } } });

/** The packet gets the node's address as its source, and any port. */
export const masquerade: Statement = { masquerade: { flags: "fully-random" } };

/** Remembers the source address in a set of clients, from now on for its timeout. */
export const remember = (family: IpFamily, set: string): Statement => ({ set: { op: "update", elem: saddr(family), set: `@${set}` } });

const numgen = (mod: number): Expression => ({ numgen: { mode: "random", mod, offset: 0 } });

const ofProtocol = (protocol: Protocol): Statement => equals(l4proto, protocol);

/** To one endpoint. */
export const dnatTo = (family: IpFamily, protocol: Protocol, { ip, port }: Endpoint): readonly Statement[] => [
  ofProtocol(protocol),
  { dnat: { family: nftFamily(family), addr: ip, port } },
];

/** Goes on with one of so many packets, by chance. */
export const oneIn = (mod: number): Statement => equals(numgen(mod), 0);

/** To any of the endpoints, by an unnamed map. */
export const dnatToAny = (family: IpFamily, protocol: Protocol, endpoints: readonly Endpoint[]): readonly Statement[] => [
  ofProtocol(protocol),
  {
    dnat: {
      family: nftFamily(family),
      addr: { map: { key: numgen(endpoints.length), data: { set: endpoints.map(({ ip, port }, at) => [at, concat(ip, port)]) } } },
    },
  },
];

/** Continues in any of the chains, by an unnamed map. */
export const goToAny = (chains: readonly string[]): Statement => ({
  vmap: { key: numgen(chains.length), data: { set: chains.map((chain, at) => [at, goTo(chain)]) } },
});
