/** All rules of one family, computed again only for what has changed. */
import type { NodeState, ProxyConfiguration } from "../contracts/configuration.ts";
import type { IpFamily } from "../contracts/ip-family.ts";
import { baseRules } from "./base-rules.ts";
import type { Ruleset, ServiceRules } from "./rules.ts";
import { type ObservedService, type RuleContext, serviceRules } from "./service-rules.ts";

/** What is there, at one moment. */
export interface RulesetInput {
  readonly family: IpFamily;
  readonly configuration: ProxyConfiguration;
  readonly node: NodeState;
  /** By namespace and name. */
  readonly services: ReadonlyMap<string, ObservedService>;
}

/** A pure function of all that is there. */
export function rulesetOf({ services, ...context }: RulesetInput): Ruleset {
  return { family: context.family, base: baseOf(context), services: rulesOf(services.keys(), services, context) };
}

/** As `rulesetOf`, but only the rules of `changed` Services are computed; configuration and node must be those of `before`. */
export function nextRuleset(before: Ruleset, { services, ...context }: RulesetInput, changed: Iterable<string>): Ruleset {
  const keys = [...changed];
  const next = new Map(before.services);
  for (const key of keys) next.delete(key);
  for (const [key, rules] of rulesOf(keys, services, context)) next.set(key, rules);
  return { ...before, services: next };
}

const baseOf = ({ family, configuration, node }: RuleContext) => baseRules(family, configuration, node);

function rulesOf(keys: Iterable<string>, services: ReadonlyMap<string, ObservedService>, context: RuleContext): Map<string, ServiceRules> {
  const found = new Map<string, ServiceRules>();
  for (const key of keys) {
    const observed = services.get(key);
    const rules = observed === undefined ? undefined : serviceRules(observed, context);
    if (rules !== undefined) found.set(key, rules);
  }
  return found;
}
