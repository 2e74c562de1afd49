/** From one ruleset to the next in one transaction, which touches only what is different. */
import type { Element, Rule, Ruleset, ServiceRules } from "../ruleset/rules.ts";
import { type NftCommand, tableCommands } from "./table.ts";

/** What is to be written, and what may go later. */
export interface Transaction {
  readonly commands: readonly NftCommand[];
  /**
   * Chains that nothing leads to any more; they are empty. Kernels before 6.2 still count the map elements that did for a moment,
   * and would refuse to delete them in the same transaction.
   */
  readonly staleChains: readonly string[];
}

const noRules: ServiceRules = { chains: new Map(), affinitySets: new Map(), elements: new Map() };

/** Both of one family, with equal base rules. A Service whose rules are the same object has not changed. */
export function changesBetween(before: Ruleset, after: Ruleset): Transaction {
  const changed = changedServices(before, after);
  if (changed.length === 0) return { commands: [], staleChains: [] };
  const table = tableCommands(after.family);
  const pairs = changed.map((key) => ({ old: before.services.get(key) ?? noRules, now: after.services.get(key) ?? noRules }));
  const chains = pairs.map(({ old, now }) => chainChanges(old, now));
  const affinity = pairs.map(({ old, now }) => affinityChanges(old, now));
  const elements = elementChanges(before, after, pairs);
  const staleChains = chains.flatMap(({ stale }) => stale);
  return {
    commands: [
      ...table.deleteElements(elements.removed),
      ...chains.flatMap(({ added }) => added.map((name) => table.addChain(name))),
      ...chains.flatMap(({ emptied }) => emptied.map((name) => table.flushChain(name))),
      ...staleChains.map((name) => table.flushChain(name)),
      ...affinity.flatMap(({ removed }) => removed.map((name) => table.deleteSet(name))),
      ...affinity.flatMap(({ added }) => added.map(([name, timeout]) => table.addAffinitySet(name, timeout))),
      ...chains.flatMap(({ written }) => written.flatMap(([name, rules]) => rules.map((rule) => table.addRule(name, rule)))),
      ...table.addElements(elements.added),
    ],
    staleChains,
  };
}

/** Sorted, so that one change gives one transaction. */
function changedServices(before: Ruleset, after: Ruleset): string[] {
  const changed: string[] = [];
  for (const [key, rules] of after.services) if (before.services.get(key) !== rules) changed.push(key);
  for (const key of before.services.keys()) if (!after.services.has(key)) changed.push(key);
  return changed.sort();
}

function chainChanges(old: ServiceRules, now: ServiceRules) {
  const sets = changedSets(old, now);
  const written = [...now.chains].filter(([name, rules]) => {
    const previous = old.chains.get(name);
    // A set that is made anew is another one: the rules about it are written again, too.
    return previous === undefined || !isSame(previous, rules) || (sets.size > 0 && mentionsAny(rules, sets));
  });
  return {
    added: written.map(([name]) => name).filter((name) => !old.chains.has(name)),
    emptied: written.map(([name]) => name).filter((name) => old.chains.has(name)),
    stale: [...old.chains.keys()].filter((name) => !now.chains.has(name)),
    written,
  };
}

function affinityChanges(old: ServiceRules, now: ServiceRules) {
  return {
    removed: [...old.affinitySets].filter(([name, timeout]) => now.affinitySets.get(name) !== timeout).map(([name]) => name),
    added: [...now.affinitySets].filter(([name, timeout]) => old.affinitySets.get(name) !== timeout),
  };
}

/** Those with another timeout than before. */
const changedSets = (old: ServiceRules, now: ServiceRules): ReadonlySet<string> =>
  new Set(
    [...now.affinitySets]
      .filter(([name, timeout]) => old.affinitySets.has(name) && old.affinitySets.get(name) !== timeout)
      .map(([name]) => `"@${name}"`),
  );

function mentionsAny(rules: readonly Rule[], sets: ReadonlySet<string>): boolean {
  const text = JSON.stringify(rules);
  return [...sets].some((set) => text.includes(set));
}

interface Pair {
  readonly old: ServiceRules;
  readonly now: ServiceRules;
}

function elementChanges(before: Ruleset, after: Ruleset, pairs: readonly Pair[]) {
  const keys = new Set(pairs.flatMap(({ old, now }) => [...old.elements.keys(), ...now.elements.keys()]));
  const had = effectiveElements(before, keys);
  const has = effectiveElements(after, keys);
  const removed: Element[] = [];
  const added: Element[] = [];
  for (const key of keys) {
    const old = had.get(key);
    const now = has.get(key);
    if (old !== undefined && now !== undefined && isSame(old.verdict, now.verdict)) continue;
    if (old !== undefined) removed.push(old);
    if (now !== undefined) added.push(now);
  }
  return { removed, added };
}

/**
 * Two Services may want the same element: a Pod behind both, or the same external address and port, which the first of them by
 * name gets.
 */
export function effectiveElements({ services }: Ruleset, keys?: ReadonlySet<string>): ReadonlyMap<string, Element> {
  const found = new Map<string, { readonly service: string; readonly element: Element }>();
  for (const [service, { elements }] of services)
    for (const [key, element] of elements) {
      if (keys !== undefined && !keys.has(key)) continue;
      const other = found.get(key);
      if (other === undefined || service < other.service) found.set(key, { service, element });
    }
  return new Map([...found].map(([key, { element }]) => [key, element]));
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
