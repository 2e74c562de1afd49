/**
 * Priority and fairness: which requests run, wait, or are refused.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
import { flowSchemas, priorityLevels } from "@coxswain/api";
import type { Clock } from "@coxswain/machinery";
import type { Flow, FlowControl, FlowExchange } from "../contracts/flow-control.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import type { FlowControlSeries, FlowSeries } from "../metrics/flow-control.ts";
import { borrowingPeriodMs, lendSeats } from "./borrowing.ts";
import { dump } from "./dump.ts";
import { FlowRequest, type FlowRequestOptions } from "./flow-request.ts";
import { type CompiledSchema, compileSchema, type FlowSchemaObject } from "./flow-schemas.ts";
import type { ObjectStatsReader } from "./object-stats.ts";
import { PriorityLevel, type PriorityLevelObject } from "./priority-level.ts";
import { SchemaChoice } from "./schema-choice.ts";
import { ThreadTurns, type Turns } from "./thread-turns.ts";
import { WatchCounts } from "./watch-counts.ts";
import { estimateWork, type WorkLimits, type WorkSources } from "./work-estimate.ts";

export interface PriorityAndFairnessOptions {
  readonly clock: Clock;
  /** How many requests may be under way at a time, those of exempt levels aside. */
  readonly totalSeats: number;
  /** For how long a request may wait that sets no bound of its own. Milliseconds. */
  readonly maxWaitMs: number;
  readonly series: FlowControlSeries;
  readonly stats: Pick<ObjectStatsReader, "of">;
  readonly turns?: Turns;
}

interface Served extends CompiledSchema {
  readonly priority: PriorityLevel;
  readonly series: FlowSeries;
  readonly work: WorkLimits;
  /** UIDs, not names: who is refused need not learn how it is thought of. */
  readonly headers: Readonly<Record<string, string>>;
}

class QueuedFlow extends FlowRequest implements Flow {
  readonly #schema: Served;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(schema: Served, clock: Pick<Clock, "monotonic">, options: FlowRequestOptions) {
    super(options);
    this.#schema = schema;
    this.#clock = clock;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#schema.headers;
  }

  get mayRun(): boolean | Promise<boolean> {
    return this.phase === "waiting" ? decisionOf(this) : this.phase === "executing";
  }

  refused(): number {
    const { dropped } = this.#schema.priority;
    dropped.record();
    return dropped.retryAfter;
  }

  end(): void {
    this.#schema.priority.queues.end(this, this.#clock.monotonic());
  }
}

const decisionOf = (request: FlowRequest): Promise<boolean> =>
  new Promise((resolve) => {
    request.decide = resolve;
  });

const mandatory = new Set(["exempt", "catch-all"]);

export class PriorityAndFairness implements FlowControl {
  readonly #options: PriorityAndFairnessOptions;
  readonly #turns: Turns;
  readonly #schemaObjects = new Map<string, FlowSchemaObject>();
  readonly #levelObjects = new Map<string, PriorityLevelObject>();
  readonly #levels = new Map<string, PriorityLevel>();
  readonly #watches = new WatchCounts();
  readonly #sources: WorkSources;
  #schemas = new SchemaChoice<Served>([]);
  /** Those that go once their last request has ended. */
  #quiescing: readonly PriorityLevel[] = [];
  #isOutdated = true;
  #lentAt = 0;

  constructor(options: PriorityAndFairnessOptions) {
    this.#options = options;
    this.#turns = options.turns ?? new ThreadTurns(options.clock);
    this.#sources = { stats: (info, now) => options.stats.of(info, now), watches: (info) => this.#watches.interestedIn(info) };
    for (const object of flowSchemas(""))
      if (mandatory.has(object.metadata?.name ?? "")) this.setSchema(object.metadata?.name ?? "", object);
    for (const object of priorityLevels())
      if (mandatory.has(object.metadata?.name ?? "")) this.setLevel(object.metadata?.name ?? "", object);
  }

  /** A change counts from the next request on. What is mandatory stays as it was when it is deleted. */
  setSchema(name: string, object: FlowSchemaObject | undefined): void {
    this.#isOutdated = true;
    if (object !== undefined) this.#schemaObjects.set(name, object);
    else if (!mandatory.has(name)) this.#schemaObjects.delete(name);
  }

  setLevel(name: string, object: PriorityLevelObject | undefined): void {
    this.#isOutdated = true;
    if (object !== undefined) this.#levelObjects.set(name, object);
    else if (!mandatory.has(name)) this.#levelObjects.delete(name);
  }

  begin(exchange: FlowExchange): Flow {
    const now = exchange.startedAt;
    this.#keepUp(now);
    const info = classifiedAs(exchange.info);
    const schema = this.#schemaOf(exchange, info);
    const { priority, series, work } = schema;
    const request = new QueuedFlow(schema, this.#options.clock, {
      series,
      exchange,
      info,
      estimate: estimateWork(info, exchange, work),
      distinguisher: priority.isExempt ? "" : schema.distinguish(exchange.user, info),
      arrivedAt: now,
      waitUntil: now + this.#options.maxWaitMs,
    });
    series.estimatedSeats.observe(request.maxSeats);
    priority.queues.start(request, now);
    return request;
  }

  watching({ info, query }: FlowExchange): () => void {
    return this.#watches.add(info, query);
  }

  dump(name: string, query: URLSearchParams): string | undefined {
    const { clock } = this.#options;
    const withDetails = (query.get("includeRequestDetails") ?? "") !== "";
    return dump(name, [...this.#levels.values()], { withDetails, epoch: clock.now() - clock.monotonic() });
  }

  /** The last of all matches everybody who is known to be somebody or nobody. */
  #schemaOf({ user }: FlowExchange, info: RequestInfo): Served {
    const found = this.#schemas.of(user, info) ?? this.#schemas.last;
    if (found === undefined) throw new Error("there is no FlowSchema");
    return found;
  }

  #keepUp(now: number): void {
    if (this.#isOutdated || this.#isSomeLevelDone()) this.#rebuild(now);
    else if (now - this.#lentAt >= borrowingPeriodMs) this.#lend(now, Math.floor((now - this.#lentAt) / borrowingPeriodMs));
  }

  #isSomeLevelDone(): boolean {
    for (const level of this.#quiescing) if (level.queues.isIdle) return true;
    return false;
  }

  #rebuild(now: number): void {
    this.#isOutdated = false;
    const { clock, totalSeats, series } = this.#options;
    for (const [name, object] of this.#levelObjects) {
      const level = this.#levels.get(name) ?? new PriorityLevel(name, clock, this.#turns);
      this.#levels.set(name, level);
      level.set(object);
    }
    for (const [name, level] of this.#levels) {
      if (this.#levelObjects.has(name)) continue;
      level.isQuiescing = true;
      if (level.queues.isIdle) this.#levels.delete(name);
    }
    this.#quiescing = [...this.#levels.values()].filter(({ isQuiescing }) => isQuiescing);
    const allShares = [...this.#levels.values()].reduce((sum, { shares }) => sum + shares, 0);
    for (const level of this.#levels.values()) level.shareOut(totalSeats, allShares);
    series.levels = new Map([...this.#levels].map(([name, level]) => [name, level.series]));
    this.#schemas = new SchemaChoice([...this.#schemaObjects.values()].map(compileSchema).flatMap((schema) => this.#served(schema)));
    this.#lend(now, 1);
  }

  /** One whose level is missing matches nothing. */
  #served(schema: CompiledSchema): readonly Served[] {
    const priority = this.#levels.get(schema.level);
    if (priority === undefined || priority.isQuiescing) return [];
    const headers = { "x-kubernetes-pf-flowschema-uid": schema.uid, "x-kubernetes-pf-prioritylevel-uid": priority.uid };
    const work = { maxSeats: priority.maxSeats, sources: this.#sources };
    return [{ ...schema, priority, headers, work, series: this.#options.series.flowOf(schema.level, schema.name) }];
  }

  #lend(now: number, periods: number): void {
    this.#lentAt = now;
    this.#options.series.fairFraction = lendSeats([...this.#levels.values()], now, periods);
  }
}

/** A request with a method that resources have not is one on a resource all the same. */
const classifiedAs = (info: RequestInfo): RequestInfo => (info.kind === "path" ? (info.resource ?? info) : info);
