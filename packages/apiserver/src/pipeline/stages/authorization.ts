import { type FieldSelector, parseFieldSelector, StatusError } from "@coxswain/machinery";
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
export function attributesOf({ info, user, query }: Pick<PipelineExchange, "info" | "user" | "query">): AuthorizationAttributes {
  if (info.kind === "path") return { kind: "path", user, verb: info.verb, path: info.path };
  const text = isOfMany(info.verb) ? query.get("fieldSelector") : null;
  return text === null || text === "" ? { ...info, user } : selected({ ...info, user }, text);
}

const isOfMany = (verb: string): boolean => verb === "list" || verb === "watch" || verb === "deletecollection";

/** Who lists or watches one object by its name asks for that object. What cannot be read is refused later, by whoever selects. */
function selected<A extends AuthorizationAttributes & { readonly kind: "resource" }>(attributes: A, text: string): AuthorizationAttributes {
  let fieldSelector: FieldSelector;
  try {
    fieldSelector = parseFieldSelector(text);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return attributes;
  }
  const isNamed = attributes.name !== "" || attributes.verb === "deletecollection";
  return { ...attributes, name: isNamed ? attributes.name : (fieldSelector.exact("metadata.name") ?? ""), fieldSelector };
}

function requireAllowed(decision: Decision, attributes: AuthorizationAttributes): void {
  if (decision.kind !== "allow") throw notAuthorized(attributes, decision.reason);
}
