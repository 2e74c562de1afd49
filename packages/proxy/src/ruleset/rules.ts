/** The value that rules are before anything is written: what of it an nftables table has is named as there. */
import type { IpFamily } from "../contracts/ip-family.ts";

/** A statement of a rule, in the form of libnftables' JSON. @see libnftables-json(5) */
export type Statement = Readonly<Record<string, unknown>>;

/** Statements in order; a packet goes on to the next one as long as they match. */
export type Rule = readonly Statement[];

/** What is in a set, or is a key of a map with its verdict. */
export interface Element {
  readonly container: ContainerName;
  readonly key: readonly (string | number)[];
  /** Elements of sets have none. */
  readonly verdict?: Action;
}

/** What becomes of a packet. */
export type Action = { readonly goto: string } | { readonly drop: true };

/** The sets and maps of a table that do not come and go. */
export type ContainerName = keyof typeof containers;

/** What the parts of a key are; a map has verdicts. */
export interface Container {
  readonly key: readonly ("address" | "inet_proto" | "inet_service")[];
  readonly isMap: boolean;
}

/** The fixed sets and maps by name. */
export const containers = {
  "cluster-ips": { key: ["address"], isMap: false },
  "nodeport-ips": { key: ["address"], isMap: false },
  "hairpin-connections": { key: ["address", "address", "inet_proto", "inet_service"], isMap: false },
  "service-ips": { key: ["address", "inet_proto", "inet_service"], isMap: true },
  "service-nodeports": { key: ["inet_proto", "inet_service"], isMap: true },
  "firewall-ips": { key: ["address", "inet_proto", "inet_service"], isMap: true },
  "no-endpoint-services": { key: ["address", "inet_proto", "inet_service"], isMap: true },
  "no-endpoint-nodeports": { key: ["inet_proto", "inet_service"], isMap: true },
} as const satisfies Readonly<Record<string, Container>>;

/** What one Service adds to a table. */
export interface ServiceRules {
  /** The rules of its own chains, by name. */
  readonly chains: ReadonlyMap<string, readonly Rule[]>;
  /** Its sets of clients by name, with their timeout in seconds. */
  readonly affinitySets: ReadonlyMap<string, number>;
  /** By `elementKey`. */
  readonly elements: ReadonlyMap<string, Element>;
}

/** Where the kernel calls a chain. */
export interface Hook {
  readonly type: "filter" | "nat";
  readonly hook: "prerouting" | "input" | "forward" | "output" | "postrouting";
  readonly prio: number;
}

/** What a table has whatever Services there are. */
export interface BaseRules {
  readonly chains: ReadonlyMap<string, { readonly hook: Hook | undefined; readonly rules: readonly Rule[] }>;
  readonly elements: ReadonlyMap<string, Element>;
}

/** All that a table of one family is to have. */
export interface Ruleset {
  readonly family: IpFamily;
  readonly base: BaseRules;
  /** By namespace and name. What has not changed is the same object, which is how changes are found. */
  readonly services: ReadonlyMap<string, ServiceRules>;
}

/** One element, whoever wants it. */
export const elementKey = ({ container, key }: Element): string => `${container} ${key.join(" . ")}`;

/** Elements by key. */
export const elementMap = (elements: readonly Element[]): ReadonlyMap<string, Element> =>
  new Map(elements.map((element) => [elementKey(element), element]));
