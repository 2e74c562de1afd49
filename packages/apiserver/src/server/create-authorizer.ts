/** Who decides what users may do: the authorizers of a server, in the order in which they are asked. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import { alwaysAllowAuthorizer, systemMastersAuthorizer, unionAuthorizer } from "../authorization/authorizer.ts";
import type { AuthorizationMode } from "../authorization/configuration/validate.ts";
import { webhookAuthorizer } from "../authorization/webhook-authorizer.ts";
import type { AuthorizationWebhookOptions } from "../contracts/authorization-webhook.ts";
import type { Authorizer, Decision } from "../contracts/authorizer.ts";
import { type ContentProvider, staticContent } from "../contracts/content-provider.ts";
import type { Log } from "../contracts/log.ts";
import type { DecisionSeries } from "../contracts/metrics.ts";
import type { Metrics } from "../metrics/metrics.ts";

/** One of those that are asked. */
export interface AuthorizerOptions {
  readonly type: AuthorizationMode;
  /** As metrics call it. */
  readonly name: string;
  /** For the type Webhook. */
  readonly webhook?: AuthorizationWebhookOptions | undefined;
}

/** By what users' rights are decided, in the order in which they are asked. */
export type AuthorizationOptions = ContentProvider<readonly AuthorizerOptions[]>;

interface AuthorizerParts {
  readonly node: Authorizer;
  readonly rbac: Authorizer;
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "authorization">;
}

const byDefault: readonly AuthorizerOptions[] = [
  { type: "Node", name: "node" },
  { type: "RBAC", name: "rbac" },
];

/** An authorizer that ends when the server does. */
export interface FollowedAuthorizer extends Disposable {
  readonly authorize: Authorizer;
  /** Of what type those are that are asked now, in their order. */
  readonly types: () => readonly AuthorizationMode[];
}

/** `system:masters` may do everything, whoever else is asked. @throws Error for the type Webhook without one */
export function createAuthorizer(
  options: AuthorizationOptions = staticContent(() => byDefault),
  parts: AuthorizerParts,
): FollowedAuthorizer {
  let current = chainOf(options.current, parts);
  let types = options.current.map(({ type }) => type);
  const followed = options.subscribe((authorizers) => {
    current = chainOf(authorizers, parts);
    types = authorizers.map(({ type }) => type);
  });
  return {
    authorize: (attributes, signal) => current(attributes, signal),
    types: () => types,
    [Symbol.dispose]: () => followed[Symbol.dispose](),
  };
}

const chainOf = (authorizers: readonly AuthorizerOptions[], parts: AuthorizerParts): Authorizer =>
  unionAuthorizer([
    systemMastersAuthorizer,
    ...authorizers.map((one) => counting(parts.metrics.authorization.decisionsOf(one.type, one.name), authorizerOf(one, parts))),
  ]);

function authorizerOf({ type, name, webhook }: AuthorizerOptions, parts: AuthorizerParts): Authorizer {
  switch (type) {
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
      return webhookAuthorizer(webhook, { ...parts, name, metrics: parts.metrics.authorization });
  }
}

/** Counts the decisions after which nobody else is asked. */
function counting(series: DecisionSeries, authorize: Authorizer): Authorizer {
  const counted = (decision: Decision): Decision => {
    if (decision.kind === "allow") series.allowed++;
    else if (decision.kind === "deny") series.denied++;
    return decision;
  };
  return (attributes, signal) => {
    const decision = authorize(attributes, signal);
    return decision instanceof Promise ? decision.then(counted) : counted(decision);
  };
}
