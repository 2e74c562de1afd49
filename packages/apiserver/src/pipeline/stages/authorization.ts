import { notAuthorized } from "../../authorization/forbidden.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../../contracts/authorizer.ts";
import type { PipelineExchange, Stage } from "../stage.ts";

/** Lets through what the user may do. @throws forbidden() */
export const authorization = ({ authorize }: { readonly authorize: Authorizer }): Stage => ({
  name: "authorization",
  wrap: (next) => (exchange) => {
    const attributes = attributesOf(exchange);
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

/** What is asked of authorizers about a request. */
export const attributesOf = ({ info, user }: Pick<PipelineExchange, "info" | "user">): AuthorizationAttributes =>
  info.kind === "resource" ? { ...info, user } : { kind: "path", user, verb: info.verb, path: info.path };

function requireAllowed(decision: Decision, attributes: AuthorizationAttributes): void {
  if (decision.kind !== "allow") throw notAuthorized(attributes, decision.reason);
}
