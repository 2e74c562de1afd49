/**
 * What a user may do, as far as authorizers can list it.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import type { rbacV1 } from "@coxswain/api";
import type { AuthorizationMode } from "../authorization/configuration/validate.ts";
import { nodeOf } from "../authorization/node/node-identity.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { rulesFor } from "./rule-resolver.ts";

/** Whose rules are listed: a type of authorizer, or one of the caller's own. */
export type RuleSource = AuthorizationMode | "Custom";

export interface UserRules {
  readonly rules: readonly rbacV1.PolicyRule[];
  /** Whether the user may do more. */
  readonly incomplete: boolean;
  readonly problems: readonly string[];
}

const none: UserRules = { rules: [], incomplete: false, problems: [] };
const everything: UserRules = {
  ...none,
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
};
const unlisted = (authorizer: string): UserRules => ({
  ...{ rules: [], incomplete: true },
  problems: [`${authorizer} does not support user rule resolution`],
});

/** All that can be listed, in the order in which the authorizers are asked. */
export async function userRules(
  sources: readonly RuleSource[],
  { reader, user, namespace }: { readonly reader: ObjectReader; readonly user: UserInfo; readonly namespace: string },
): Promise<UserRules> {
  const each = await Promise.all(sources.map(rulesOf));
  return {
    rules: each.flatMap(({ rules }) => rules),
    incomplete: each.some(({ incomplete }) => incomplete),
    problems: each.flatMap(({ problems }) => problems),
  };

  async function rulesOf(source: RuleSource): Promise<UserRules> {
    switch (source) {
      case "AlwaysAllow":
        return everything;
      case "AlwaysDeny":
        return none;
      case "Node":
        return nodeOf(user) === undefined ? none : unlisted("node authorizer");
      case "RBAC":
        return { ...(await rulesFor(reader, user, namespace)), incomplete: false };
      case "Webhook":
        return unlisted("webhook authorizer");
      case "Custom":
        return unlisted("authorizer");
    }
  }
}
