/** The resources that a controller of everything works on: each once, in the version that its group recommends. */
import type { Discovered, DiscoveredResource } from "@coxswain/client";
import { apiVersionOf, messageOf } from "@coxswain/machinery";

/** Those with all of these verbs. What only another version has is found there. */
export function resourcesWith(discovered: Discovered, verbs: readonly string[]): readonly DiscoveredResource[] {
  const found = new Map<string, DiscoveredResource>();
  for (const one of discovered.resources) {
    const key = `${one.resource}.${one.group}`;
    // In each group the recommended version comes first.
    if (!found.has(key)) found.set(key, one);
  }
  return [...found.values()].filter((one) => verbs.every((verb) => one.verbs.includes(verb)));
}

/** Undefined when all groups have answered. In the words of client-go, which conditions and logs show. */
export function discoveryFailure({ failed }: Discovered): Error | undefined {
  if (failed.length === 0) return undefined;
  const errors = failed.map((one) => `${apiVersionOf(one)}: ${messageOf(one.error)}`).sort();
  return new Error(`unable to retrieve the complete list of server APIs: ${errors.join(", ")}`);
}
