/** Transactions about a table: all of it, or what is different from the one before. */
import type { IpFamily, NftCommand } from "@coxswain/proxy";
import { type PolicyChain, type PolicySet, type PolicyTable, type SetElement, tableName } from "../contracts/policy-table.ts";

/** What is to be written, and what may go later. */
export interface PolicyTransaction {
  readonly commands: readonly NftCommand[];
  /** Empty chains that nothing leads to: kernels before 6.2 refuse to delete them together with the elements that did. */
  readonly staleChains: readonly string[];
}

const familyName = (family: IpFamily): "ip" | "ip6" => (family === "IPv4" ? "ip" : "ip6");

/** The table in place of whatever has its name; connections are none of it. */
export function wholeTable(table: PolicyTable): readonly NftCommand[] {
  const { family, chains, sets } = table;
  const named = { table: { family: familyName(family), name: tableName } };
  const empty: PolicyTable = { family, chains: new Map(), sets: new Map() };
  const { commands } = changesBetween(empty, { family, chains, sets });
  // What is added can be deleted, whether it was there or not.
  return [{ add: named }, { delete: named }, { add: named }, ...commands];
}

/** Both of one family. */
export function changesBetween(before: PolicyTable, after: PolicyTable): PolicyTransaction {
  const command = commandsOf(after.family);
  const sets = setChanges(before, after);
  const names = [...after.chains.keys()];
  const written = names.filter((name) => !isSame(before.chains.get(name)?.rules, after.chains.get(name)?.rules));
  const added = written.filter((name) => !before.chains.has(name));
  const changed = written.filter((name) => before.chains.has(name));
  const staleChains = [...before.chains.keys()].filter((name) => !after.chains.has(name));
  return {
    commands: [
      ...sets.removed.flatMap(({ name, elements }) => command.elements("delete", name, elements)),
      ...added.map((name) => command.addChain(name, after.chains.get(name))),
      ...[...changed, ...staleChains].map((name) => command.chain("flush", name)),
      ...sets.gone.map((name) => command.deleteSet(name)),
      ...sets.made.map(([name, set]) => command.addSet(name, set)),
      ...sets.added.flatMap(({ name, elements, isMap }) => (isMap ? [] : command.elements("add", name, elements))),
      ...written.flatMap((name) => (after.chains.get(name)?.rules ?? []).map((rule) => command.addRule(name, rule))),
      // Last, when the chains have their rules.
      ...sets.added.flatMap(({ name, elements, isMap }) => (isMap ? command.elements("add", name, elements) : [])),
    ],
    staleChains,
  };
}

/** For chains that nothing leads to. */
export const deleteChains = (family: IpFamily, names: readonly string[]): readonly NftCommand[] =>
  names.map((name) => commandsOf(family).chain("delete", name));

interface ElementChange {
  readonly name: string;
  readonly isMap: boolean;
  readonly elements: readonly SetElement[];
}

function setChanges(before: PolicyTable, after: PolicyTable) {
  const removed: ElementChange[] = [];
  const added: ElementChange[] = [];
  for (const [name, { isMap, elements }] of after.sets) {
    const old = before.sets.get(name)?.elements ?? new Map<string, SetElement>();
    if (old === elements) continue;
    const differs = (key: string): boolean => old.get(key)?.jump !== elements.get(key)?.jump || old.has(key) !== elements.has(key);
    removed.push({ name, isMap, elements: [...old].flatMap(([key, element]) => (differs(key) ? [element] : [])) });
    added.push({ name, isMap, elements: [...elements].flatMap(([key, element]) => (differs(key) ? [element] : [])) });
  }
  return {
    removed,
    added,
    made: [...after.sets].filter(([name]) => !before.sets.has(name)),
    gone: [...before.sets.keys()].filter((name) => !after.sets.has(name)),
  };
}

function commandsOf(ipFamily: IpFamily) {
  const inTable = { family: familyName(ipFamily), table: tableName };
  const typeOf = ({ key }: PolicySet): unknown => {
    const parts = key.map((part) => (part === "address" ? (ipFamily === "IPv4" ? "ipv4_addr" : "ipv6_addr") : part));
    return parts.length === 1 ? parts[0] : parts;
  };
  return {
    addChain: (name: string, chain: PolicyChain | undefined): NftCommand => ({
      add: { chain: { ...inTable, name, ...(chain?.hook === undefined ? {} : { ...chain.hook, policy: "accept" }) } },
    }),
    chain: (verb: "flush" | "delete", name: string): NftCommand => ({ [verb]: { chain: { ...inTable, name } } }),
    addRule: (chain: string, expr: unknown): NftCommand => ({ add: { rule: { ...inTable, chain, expr } } }),
    addSet: (name: string, set: PolicySet): NftCommand => ({
      add: set.isMap ? { map: { ...inTable, name, type: typeOf(set), map: "verdict" } } : { set: { ...inTable, name, type: typeOf(set) } },
    }),
    deleteSet: (name: string): NftCommand => ({ delete: { set: { ...inTable, name } } }),
    // A map's elements are deleted with their values, or nft refuses the command.
    elements: (verb: "add" | "delete", name: string, elements: readonly SetElement[]): readonly NftCommand[] =>
      elements.length === 0 ? [] : [{ [verb]: { element: { ...inTable, name, elem: elements.map(elementText) } } }],
  };
}

function elementText({ key, jump }: SetElement): unknown {
  const text = key.length === 1 ? key[0] : { concat: key };
  return jump === undefined ? text : [text, { jump: { target: jump } }];
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
