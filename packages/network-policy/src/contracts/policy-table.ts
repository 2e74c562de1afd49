/** The value that a table is before anything is written. */
import type { Hook, IpFamily, Rule } from "@coxswain/proxy";

/** In both families. */
export const tableName = "coxswain-network-policies";

/** A chain, of the kernel's where it has a hook. */
export interface PolicyChain {
  readonly hook?: Hook;
  readonly rules: readonly Rule[];
}

/** What the parts of a key are. */
export type KeyPart = "address" | "inet_proto" | "inet_service";

/** A set, or a map to the chains that are asked about a packet. */
export interface PolicySet {
  readonly key: readonly KeyPart[];
  readonly isMap: boolean;
  /** By their keys as a text. */
  readonly elements: ReadonlyMap<string, SetElement>;
}

/** What is in a set, or a key of a map with the chain that it leads to. */
export interface SetElement {
  readonly key: readonly (string | number)[];
  readonly jump?: string;
}

/** All that the table of one family is to have. */
export interface PolicyTable {
  readonly family: IpFamily;
  readonly chains: ReadonlyMap<string, PolicyChain>;
  readonly sets: ReadonlyMap<string, PolicySet>;
}

/** Elements by their keys; of equal keys the last one counts. */
export const elementsOf = (elements: Iterable<SetElement>): ReadonlyMap<string, SetElement> =>
  new Map([...elements].map((element) => [element.key.join(" . "), element]));
