import { notAuthorized } from "../../authorization/forbidden.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../../contracts/authorizer.ts";
import type { Stage } from "../stage.ts";

/** Lets through what the user may do. @throws forbidden() */
export const authorization = ({ authorize }: { readonly authorize: Authorizer }): Stage => ({
  name: "authorization",
  wrap: (next) => (exchange) => {
    const { info, user } = exchange;
    const attributes: AuthorizationAttributes =
      info.kind === "resource" ? { ...info, user } : { kind: "path", user, verb: info.verb, path: info.path };
    const decision = authorize(attributes);
    if (decision instanceof Promise) {
      return decision.then((known) => {
        requireAllowed(known, attributes);
        return next(exchange);
      });
    }
    requireAllowed(decision, attributes);
    return next(exchange);
  },
});

function requireAllowed(decision: Decision, attributes: AuthorizationAttributes): void {
  if (decision.kind !== "allow") throw notAuthorized(attributes, decision.reason);
}
