/** The table that the proxy owns, and commands about what is in it, in the form of libnftables' JSON. */
import type { IpFamily } from "../contracts/ip-family.ts";
import { type Action, type Container, type ContainerName, containers, type Element, type Hook, type Rule } from "../ruleset/rules.ts";
import { nftFamily } from "../ruleset/statements.ts";

/** In both families. kube-proxy's is `kube-proxy`: the two can stand side by side. */
export const tableName = "coxswain-proxy";

/** One command of a transaction. */
export type NftCommand = Readonly<Record<string, unknown>>;

/** So many clients a set remembers; the kernel wants a bound. */
const affinitySetSize = 65_535;

/** Commands about the table of one family. */
export interface TableCommands {
  addTable(): NftCommand;
  deleteTable(): NftCommand;
  addChain(name: string, hook?: Hook): NftCommand;
  flushChain(name: string): NftCommand;
  deleteChain(name: string): NftCommand;
  addRule(chain: string, rule: Rule): NftCommand;
  addContainer(name: ContainerName): NftCommand;
  flushContainer(name: ContainerName): NftCommand;
  addAffinitySet(name: string, timeoutSeconds: number): NftCommand;
  deleteSet(name: string): NftCommand;
  addElements(elements: readonly Element[]): readonly NftCommand[];
  deleteElements(elements: readonly Element[]): readonly NftCommand[];
}

/** Makes the commands of a family. */
export function tableCommands(ipFamily: IpFamily): TableCommands {
  const family = nftFamily(ipFamily);
  const table = { family, name: tableName };
  const inTable = { family, table: tableName };
  const typeOf = ({ key }: Container) => key.map((part) => (part === "address" ? (ipFamily === "IPv4" ? "ipv4_addr" : "ipv6_addr") : part));
  const elementCommands = (elements: readonly Element[], toElement: (element: Element) => unknown) =>
    [...Map.groupBy(elements, ({ container }) => container)].map(([name, ofContainer]) => ({
      element: { ...inTable, name, elem: ofContainer.map(toElement) },
    }));
  return {
    addTable: () => ({ add: { table } }),
    deleteTable: () => ({ delete: { table } }),
    addChain: (name, hook) => ({ add: { chain: { ...inTable, name, ...(hook === undefined ? {} : { ...hook, policy: "accept" }) } } }),
    flushChain: (name) => ({ flush: { chain: { ...inTable, name } } }),
    deleteChain: (name) => ({ delete: { chain: { ...inTable, name } } }),
    addRule: (chain, expr) => ({ add: { rule: { ...inTable, chain, expr } } }),
    addContainer: (name) => {
      const type = typeOf(containers[name]);
      const described = { ...inTable, name, type: type.length === 1 ? type[0] : type };
      return { add: containers[name].isMap ? { map: { ...described, map: "verdict" } } : { set: described } };
    },
    flushContainer: (name) => ({ flush: containers[name].isMap ? { map: { ...inTable, name } } : { set: { ...inTable, name } } }),
    addAffinitySet: (name, timeout) => ({
      add: {
        set: { ...inTable, name, type: typeOf({ key: ["address"], isMap: false })[0], flags: ["timeout"], size: affinitySetSize, timeout },
      },
    }),
    deleteSet: (name) => ({ delete: { set: { ...inTable, name } } }),
    addElements: (elements) => elementCommands(elements, elementText).map((add) => ({ add })),
    // A map's elements are deleted with their values, or nft refuses the command.
    deleteElements: (elements) => elementCommands(elements, elementText).map((command) => ({ delete: command })),
  };
}

function elementText({ key, verdict }: Element): unknown {
  const text = key.length === 1 ? key[0] : { concat: key };
  return verdict === undefined ? text : [text, verdictText(verdict)];
}

const verdictText = (verdict: Action): unknown => ("goto" in verdict ? { goto: { target: verdict.goto } } : { drop: null });
