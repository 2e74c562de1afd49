/** Conflicts: answered with what explains them, counted, and remembered for a while. */
import { type Clock, type Status, StatusError } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { Exchange } from "../contracts/exchange.ts";
import type { Log } from "../contracts/log.ts";
import type { ConflictMetrics } from "../contracts/metrics.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { headerOf } from "../http/exchange.ts";
import { staleWriteOf } from "../registry/stale-write.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { type Explainer, type Explanation, explain, type Sent } from "./explain.ts";
import { ObjectHistories } from "./object-history.ts";
import { RecentConflicts } from "./recent-conflicts.ts";

export interface ConflictsOptions {
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly metrics: ConflictMetrics;
}

export class Conflicts {
  readonly recent = new RecentConflicts();
  readonly #options: ConflictsOptions;
  readonly #explainer: Explainer;

  constructor(options: ConflictsOptions) {
    this.#options = options;
    this.#explainer = { store: options.store, cache: options.cache, log: options.log, histories: new ObjectHistories(options) };
  }

  /** What the client learns of a 409 with the reason Conflict. */
  async explain(error: StatusError, exchange: Exchange, info: ResourceRequest): Promise<Status> {
    const explanation = await this.#explain(error, exchange);
    const write = staleWriteOf(error);
    this.#remember({ explanation, readAt: write?.names === "version" ? write.readAt : undefined }, exchange, info);
    return withCauses(error.status, explanation);
  }

  /** For a conflict that another thread answers. */
  async explained(error: StatusError, sent: Sent): Promise<StatusError> {
    return new StatusError(withCauses(error.status, await this.#explain(error, sent)));
  }

  #explain(error: StatusError, sent: Sent): Explanation | Promise<Explanation> {
    const write = staleWriteOf(error);
    return write === undefined ? { causes: error.status.details?.causes ?? [] } : explain(this.#explainer, write, sent);
  }

  #remember(
    known: { readonly explanation: Explanation; readonly readAt: string | undefined },
    { request, query, user, requestId }: Exchange,
    info: ResourceRequest,
  ): void {
    const { clock, metrics } = this.#options;
    metrics.countConflict(known.explanation.causes[0]?.reason ?? "");
    this.recent.add({
      at: clock.now(),
      user: user.name,
      manager: query.get("fieldManager") ?? "",
      userAgent: headerOf(request, "user-agent") ?? "",
      requestId,
      info,
      ...known,
    });
  }
}

function withCauses(status: Status, { causes }: Explanation): Status {
  if (causes.length === 0 || causes === status.details?.causes) return status;
  return { ...status, details: { ...status.details, causes } };
}
