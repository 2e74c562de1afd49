/** Writes a whole ruleset over whatever the table has, and keeps which client belongs to which endpoint. */
import { type ContainerName, containers, type Ruleset } from "../ruleset/rules.ts";
import { effectiveElements, type Transaction } from "./changes.ts";
import { type NftCommand, type TableCommands, tableCommands } from "./table.ts";

/** What a table has now, as far as a full sync needs it. */
export interface ExistingTable {
  readonly chains: ReadonlySet<string>;
  /** The sets, with their timeout in seconds where they have one. */
  readonly sets: ReadonlyMap<string, number | undefined>;
  readonly maps: ReadonlySet<string>;
}

/** Deletes the table and writes it anew, in one step: the way out when it is not as the proxy writes it. */
export function rewriteTable(ruleset: Ruleset): Transaction {
  const table = tableCommands(ruleset.family);
  return { commands: [table.addTable(), table.deleteTable(), ...fullSync(ruleset, undefined).commands], staleChains: [] };
}

/** Writes all of the ruleset; an undefined `existing` says that there is no table. */
export function fullSync(ruleset: Ruleset, existing: ExistingTable | undefined): Transaction {
  const table = tableCommands(ruleset.family);
  const { base, services } = ruleset;
  const chains = [...base.chains].map(([name, { hook, rules }]) => ({ name, hook, rules }));
  for (const rules of services.values()) for (const [name, list] of rules.chains) chains.push({ name, hook: undefined, rules: list });
  const wanted = new Set(chains.map(({ name }) => name));
  const staleChains = [...(existing?.chains ?? [])].filter((name) => !wanted.has(name));
  return {
    commands: [
      table.addTable(),
      ...names.flatMap((name) => emptyContainer(name, table, existing)),
      ...chains.map(({ name, hook }) => table.addChain(name, hook)),
      ...chains.filter(({ name }) => existing?.chains.has(name)).map(({ name }) => table.flushChain(name)),
      ...staleChains.map((name) => table.flushChain(name)),
      ...affinitySets(ruleset, table, existing),
      ...chains.flatMap(({ name, rules }) => rules.map((rule) => table.addRule(name, rule))),
      ...table.addElements([...base.elements.values(), ...effectiveElements(ruleset).values()]),
    ],
    staleChains,
  };
}

const names = Object.keys(containers) as readonly ContainerName[];

function emptyContainer(name: ContainerName, table: TableCommands, existing: ExistingTable | undefined): readonly NftCommand[] {
  const isThere = (containers[name].isMap ? existing?.maps : existing?.sets)?.has(name) ?? false;
  return [isThere ? table.flushContainer(name) : table.addContainer(name)];
}

/** One with the right timeout stays, with the clients in it. */
function affinitySets({ services }: Ruleset, table: TableCommands, existing: ExistingTable | undefined): readonly NftCommand[] {
  const wanted = new Map([...services.values()].flatMap(({ affinitySets: sets }) => [...sets]));
  const there = [...(existing?.sets ?? [])].filter(([name]) => !(name in containers));
  const kept = new Set(there.filter(([name, timeout]) => wanted.get(name) === timeout).map(([name]) => name));
  return [
    ...there.filter(([name]) => !kept.has(name)).map(([name]) => table.deleteSet(name)),
    ...[...wanted].filter(([name]) => !kept.has(name)).map(([name, timeout]) => table.addAffinitySet(name, timeout)),
  ];
}
