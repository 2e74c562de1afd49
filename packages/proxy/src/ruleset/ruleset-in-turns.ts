/** All rules of a family without holding up what else the process does. */
import type { Ruleset } from "./rules.ts";
import { nextRuleset, type RulesetInput, rulesetOf } from "./ruleset.ts";

/** So many Services are computed at once: some milliseconds. */
const servicesPerTurn = 500;

/** As `rulesetOf`, with turns of the event loop in between. */
export async function rulesetInTurns(input: RulesetInput): Promise<Ruleset> {
  const keys = [...input.services.keys()];
  let ruleset = rulesetOf({ ...input, services: new Map() });
  for (let at = 0; at < keys.length; at += servicesPerTurn) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    ruleset = nextRuleset(ruleset, input, keys.slice(at, at + servicesPerTurn));
  }
  return ruleset;
}
