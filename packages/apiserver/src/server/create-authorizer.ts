/** Who decides what users may do: the authorizers of a server, in the order in which they are asked. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import { alwaysAllowAuthorizer, systemMastersAuthorizer, unionAuthorizer } from "../authorization/authorizer.ts";
import { type AuthorizationWebhookOptions, webhookAuthorizer } from "../authorization/webhook-authorizer.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { Log } from "../contracts/log.ts";

/** As `--authorization-mode` of kube-apiserver. */
export type AuthorizationMode = "AlwaysAllow" | "AlwaysDeny" | "Node" | "RBAC" | "Webhook";

/** By what users' rights are decided. */
export interface AuthorizationOptions {
  /** In the order in which they are asked. Default: Node, RBAC. */
  readonly modes?: readonly AuthorizationMode[] | undefined;
  /** For the mode Webhook. */
  readonly webhook?: AuthorizationWebhookOptions | undefined;
}

interface AuthorizerParts {
  readonly node: Authorizer;
  readonly rbac: Authorizer;
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
  readonly log: Log;
}

/** `system:masters` may do everything, whatever the modes are. @throws Error for the mode Webhook without one */
export function createAuthorizer({ modes = ["Node", "RBAC"], webhook }: AuthorizationOptions, parts: AuthorizerParts): Authorizer {
  return unionAuthorizer([systemMastersAuthorizer, ...modes.map((mode) => authorizerOf(mode, webhook, parts))]);
}

function authorizerOf(mode: AuthorizationMode, webhook: AuthorizationWebhookOptions | undefined, parts: AuthorizerParts): Authorizer {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllowAuthorizer;
    case "AlwaysDeny":
      return () => ({ kind: "noOpinion", reason: "Everything is forbidden." });
    case "Node":
      return parts.node;
    case "RBAC":
      return parts.rbac;
    case "Webhook":
      if (webhook === undefined) throw new Error("authorization-mode Webhook's authorization config file not passed");
      return webhookAuthorizer(webhook, parts);
  }
}
