/** How much a table has in each part: what somebody else takes away, or adds, shows there without a comparison of all rules. */
import { containers, type Ruleset } from "../ruleset/rules.ts";

/** Rules by chain, and elements by set or map; sets of clients, who come and go, are not meant. */
export interface TableCounts {
  readonly chains: ReadonlyMap<string, number>;
  readonly containers: ReadonlyMap<string, number>;
}

/** What a table has when it is as the ruleset wants it. */
export function countsOf(ruleset: Ruleset): TableCounts {
  const { base, services } = ruleset;
  const chains = new Map<string, number>();
  for (const [name, { rules }] of base.chains) chains.set(name, rules.length);
  for (const service of services.values()) for (const [name, rules] of service.chains) chains.set(name, rules.length);
  // Two Services may want the same element, which is there once.
  const keys = new Map<string, Set<string>>(Object.keys(containers).map((name) => [name, new Set()]));
  for (const [key, { container }] of base.elements) keys.get(container)?.add(key);
  for (const { elements } of services.values()) for (const [key, { container }] of elements) keys.get(container)?.add(key);
  return { chains, containers: new Map([...keys].map(([name, { size }]) => [name, size])) };
}

/** The first part that has more or less than it should, for people; undefined: none. Other parts may be there. */
export function deviationFrom(expected: TableCounts, found: TableCounts): string | undefined {
  for (const [part, wanted, has] of [
    ["chain", expected.chains, found.chains],
    ["set", expected.containers, found.containers],
  ] as const)
    for (const [name, count] of wanted)
      if (has.get(name) !== count) return `${part} ${name}: ${has.get(name) ?? "not there"} instead of ${count}`;
  return undefined;
}
