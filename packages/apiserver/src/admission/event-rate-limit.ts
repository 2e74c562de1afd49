/**
 * Events beyond the rates of the configuration are refused.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#eventratelimit
 */
import type { coreV1 } from "@coxswain/api";
import { type Clock, failure } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations, EventRateLimit } from "../contracts/admission-configuration.ts";

export interface EventRateLimitServices {
  readonly clock: Clock;
  readonly configuration?: AdmissionPluginConfigurations;
}

const defaultCacheSize = 4_096;

export const eventRateLimit: AdmissionPluginFactory<EventRateLimitServices> = {
  name: "EventRateLimit",
  offByDefault: true,
  create: ({ clock, configuration }) => {
    const limits = configuration?.eventRateLimit?.limits;
    if (limits === undefined) throw new TypeError("limits: Invalid value: null: must not be empty");
    const enforcers = limits.map((limit) => ({ limit, buckets: new Buckets(limit, clock) }));
    return {
      handles: ({ operation, resource: { definition }, dryRun }) =>
        (operation === "create" || operation === "update") &&
        definition.kind === "Event" &&
        (definition.group === "" || definition.group === "events.k8s.io") &&
        !dryRun,
      validate(request) {
        const reached: string[] = [];
        for (const { limit, buckets } of enforcers) {
          const key = keyOf[limit.type](request);
          if (!buckets.take(key)) reached.push(`limit reached on type ${limit.type} for key ${key}`);
        }
        if (reached.length === 0) return;
        throw failure(429, "TooManyRequests", `Too many requests: ${reached.length === 1 ? reached.join() : `[${reached.join(", ")}]`}`);
      },
    };
  },
};

const keyOf: Readonly<Record<EventRateLimit["type"], (request: AdmissionRequest) => string>> = {
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => {
    const { source, involvedObject, regarding, deprecatedSource } = object as EitherEvent;
    const from = source ?? deprecatedSource ?? {};
    const about = involvedObject ?? regarding ?? {};
    return [from.component, from.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion].join("");
  },
};

/** Of events.k8s.io or of the older group. */
type EitherEvent = Partial<coreV1.Event> & { readonly regarding?: coreV1.ObjectReference; readonly deprecatedSource?: coreV1.EventSource };

interface Bucket {
  tokens: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Tokens by key; the keys that were not seen for the longest are forgotten, and begin with full buckets. */
class Buckets {
  readonly #limit: EventRateLimit;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: EventRateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  take(key: string): boolean {
    const { qps, burst, cacheSize } = this.#limit;
    const now = this.#clock.now();
    const known = this.#buckets.get(key);
    const tokens = known === undefined ? burst : Math.min(burst, known.tokens + ((now - known.at) / 1000) * qps);
    const isTaken = tokens >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: isTaken ? tokens - 1 : tokens, at: now });
    const [oldest] = this.#buckets.size > (cacheSize || defaultCacheSize) ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return isTaken;
  }
}
