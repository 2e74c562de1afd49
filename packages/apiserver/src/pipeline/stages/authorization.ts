import { type FieldRequirement, validatePathSegmentName } from "@coxswain/machinery";
import { notAuthorized } from "../../authorization/forbidden.ts";
import { readFieldSelector, readLabelSelector } from "../../authorization/read-selector.ts";
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

/** What is asked of authorizers about a request. A selector that cannot be read is refused later, by whoever selects. */
export function attributesOf({ info, user, query }: Pick<PipelineExchange, "info" | "user" | "query">): AuthorizationAttributes {
  if (info.kind === "path") return { kind: "path", user, verb: info.verb, path: info.path };
  if (query.size === 0 || !isOfMany(info.verb)) return { ...info, user };
  const fieldSelector = readFieldSelector(query.get("fieldSelector") ?? "").requirements;
  const labelSelector = readLabelSelector(query.get("labelSelector") ?? "").requirements;
  const name = info.name === "" && info.verb !== "deletecollection" ? nameIn(fieldSelector) : info.name;
  return { ...info, user, name, fieldSelector, labelSelector };
}

/** Who lists or watches one object by its name asks for that object. */
function nameIn(fieldSelector: readonly FieldRequirement[] = []): string {
  const name = fieldSelector.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value ?? "";
  return validatePathSegmentName(name).length === 0 ? name : "";
}

const isOfMany = (verb: string): boolean => verb === "list" || verb === "watch" || verb === "deletecollection";

function requireAllowed(decision: Decision, attributes: AuthorizationAttributes): void {
  if (decision.kind !== "allow") throw notAuthorized(attributes, decision.reason);
}
