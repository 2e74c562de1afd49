/** The webhooks that are configured, in the order in which they are asked. */
import type { KubeObject } from "@coxswain/machinery";
import type { WebhookCredentials, WebhookUsers } from "../../contracts/webhook-credentials.ts";
import { credentialsFor } from "../../webhooks/choose-credentials.ts";
import type { WebhookClientConfig } from "../../webhooks/client-config.ts";
import { lazyMatchConditions } from "../cel/load-expressions.ts";
import type { GivenMatchCondition, MatchConditions } from "../cel/match-conditions.ts";
import { type Criteria, compileCriteria, type GivenCriteria } from "../matching/request-matcher.ts";

/** One webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration; its kind's rules have made sure of it. */
export interface GivenWebhook extends GivenCriteria {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly admissionReviewVersions: readonly string[];
  readonly sideEffects?: string;
  readonly failurePolicy?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly GivenMatchCondition[];
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly GivenWebhook[];
}

/** A webhook with what was read of it once. */
export interface AdmissionWebhook {
  /** The same for as long as its configuration has it at its place. */
  readonly id: string;
  /** Of the configuration. */
  readonly configuration: string;
  readonly given: GivenWebhook;
  readonly criteria: Criteria;
  /** As whom it is asked; undefined for nobody. */
  readonly credentials: WebhookCredentials | undefined;
  /** Undefined where it has none. */
  readonly conditions: MatchConditions | undefined;
}

/** Kept up to date by whoever follows the configurations. */
export class WebhookConfigurations {
  readonly #byName = new Map<string, readonly AdmissionWebhook[]>();
  readonly #users: WebhookUsers | undefined;
  #all: readonly AdmissionWebhook[] = [];

  constructor(users: WebhookUsers | undefined) {
    this.#users = users;
  }

  /** By the names of their configurations, then in the order of each. */
  get all(): readonly AdmissionWebhook[] {
    return this.#all;
  }

  /** Without an object: there is no such configuration any more. */
  set(name: string, object: Readonly<KubeObject> | undefined): void {
    if (object === undefined) this.#byName.delete(name);
    else this.#byName.set(name, compiled(name, object, this.#users));
    const names = [...this.#byName.keys()].sort();
    this.#all = names.flatMap((one) => this.#byName.get(one) ?? []);
  }
}

function compiled(
  configuration: string,
  { webhooks }: Readonly<Configuration>,
  users: WebhookUsers | undefined,
): readonly AdmissionWebhook[] {
  const seen = new Map<string, number>();
  return (webhooks ?? []).map((given) => {
    const before = seen.get(given.name) ?? 0;
    seen.set(given.name, before + 1);
    const { matchConditions = [], failurePolicy } = given;
    return {
      id: `${configuration}/${given.name}/${before}`,
      configuration,
      given,
      criteria: compileCriteria(given),
      credentials: users && credentialsFor(users, given.clientConfig),
      conditions: matchConditions.length === 0 ? undefined : lazyMatchConditions(matchConditions, { failurePolicy }),
    };
  });
}
