/** What happens between a request and its answer, from the top to the bottom. */
import type { ResourceRegistry } from "@coxswain/api";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { AnonymousAuth } from "../contracts/anonymous.ts";
import type { AuditOptions } from "../contracts/audit.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { FlowControl } from "../contracts/flow-control.ts";
import type { ObservedReads } from "../contracts/invariant.ts";
import type { Log } from "../contracts/log.ts";
import type { Offload } from "../contracts/offload.ts";
import { defaultRequestTimeoutMs, type ServingOptions } from "../contracts/serving-options.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { BodyMemory } from "./body-memory.ts";
import type { Stage } from "./stage.ts";
import { type Aggregator, aggregation } from "./stages/aggregation.ts";
import { audit } from "./stages/audit.ts";
import { authentication } from "./stages/authentication.ts";
import { authorization } from "./stages/authorization.ts";
import { type ConflictExplainer, conflictExplanation } from "./stages/conflict-explanation.ts";
import { deadline } from "./stages/deadline.ts";
import { errors } from "./stages/errors.ts";
import { eventLoopYield } from "./stages/event-loop-yield.ts";
import { flowControl } from "./stages/flow-control.ts";
import { freshness, freshnessNow } from "./stages/freshness.ts";
import { goaway } from "./stages/goaway.ts";
import { impersonation } from "./stages/impersonation.ts";
import { observeReads } from "./stages/observe-reads.ts";
import { offloading } from "./stages/offload.ts";
import { requestBody } from "./stages/request-body.ts";
import { requestInfo } from "./stages/request-info.ts";
import { requestMetrics } from "./stages/request-metrics.ts";
import { responseHeaders } from "./stages/response-headers.ts";
import { shutdownRetryAfter } from "./stages/shutdown-retry-after.ts";

export interface StageOptions {
  readonly access: { readonly authenticate: Authenticator; readonly anonymous?: AnonymousAuth | undefined; readonly authorize: Authorizer };
  readonly observe: { readonly log: Log; readonly metrics: Metrics; readonly conflicts: ConflictExplainer };
  readonly aggregated: Aggregator;
  /** Undefined where nothing is audited. */
  readonly auditing: AuditOptions | undefined;
  /** Undefined where nothing bounds how many requests are served at a time. */
  readonly flows: FlowControl | undefined;
  /** Undefined where everything is served by this thread. */
  readonly offload: Offload | undefined;
  /** Where what is stored may not have been seen by this server. */
  readonly store: Pick<Store, "freshen" | "freshenNow" | "revision">;
  /** Undefined where nobody can watch invariants. */
  readonly reads: ObservedReads | undefined;
  readonly registry: ResourceRegistry;
  readonly eventLoop: EventLoop;
  readonly serving: ServingOptions;
  /** Whether requests are sent elsewhere. Changes while the server runs. */
  readonly state: { readonly rejecting: boolean };
  readonly clock: Clock;
  readonly random: RandomSource;
}

export const createStages = ({
  access,
  observe,
  aggregated,
  auditing,
  flows,
  offload,
  store,
  reads,
  registry,
  eventLoop,
  serving,
  state,
  clock,
  random,
}: StageOptions): readonly Stage[] => [
  ...(serving.goawayChance ? [goaway({ chance: serving.goawayChance, random })] : []),
  responseHeaders,
  ...(serving.shutdownSendRetryAfter === true ? [shutdownRetryAfter(state)] : []),
  requestMetrics({ metrics: observe.metrics, registry, clock }),
  errors(observe),
  requestInfo,
  ...(store.freshenNow === undefined ? [] : [freshnessNow(() => store.freshenNow?.())]),
  deadline({ clock, maxMs: maxMsOf(serving) }),
  authentication({ ...access, ...observe, clock }),
  ...(auditing === undefined ? [] : [audit({ ...auditing, clock, metrics: observe.metrics })]),
  impersonation(access),
  ...(flows === undefined ? [] : [flowControl({ flows })]),
  ...(store.freshen === undefined || store.freshenNow !== undefined ? [] : [freshness(store.freshen.bind(store))]),
  authorization({ ...access, metrics: observe.metrics, clock }),
  requestBody({ memory: new BodyMemory() }),
  aggregation({ aggregated }),
  conflictExplanation(observe),
  ...(reads === undefined ? [] : [observeReads({ reads, revision: () => store.revision })]),
  ...(offload === undefined ? [] : [offloading({ offload, clock, maxMs: maxMsOf(serving) })]),
  eventLoopYield({ eventLoop }),
];

const maxMsOf = ({ requestTimeoutMs = defaultRequestTimeoutMs }: ServingOptions): number => requestTimeoutMs;
