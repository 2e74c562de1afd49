/** For one request: what the authorizer was asked once, it is not asked again by another expression or policy. */
import type { Authorizer, Decision } from "../../contracts/authorizer.ts";

export function cachingAuthorizer(authorize: Authorizer): Authorizer {
  const known = new Map<string, Decision | Promise<Decision>>();
  return (attributes, signal) => {
    const key = JSON.stringify(attributes);
    const decision = known.get(key) ?? authorize(attributes, signal);
    known.set(key, decision);
    return decision;
  };
}
