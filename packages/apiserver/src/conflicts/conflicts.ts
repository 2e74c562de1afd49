/** Conflicts: told with what explains them, counted, and remembered for a while. */
import { type ConflictRecord, managerOfAgent, type Status, StatusError } from "@coxswain/machinery";
import type { ServerContext } from "../context.ts";
import { headerOf } from "../http/exchange.ts";
import type { Exchange } from "../pipeline.ts";
import type { ResourceRequest } from "../request-info.ts";
import { clip, describeTime } from "./cause-text.ts";
import { type Explanation, explain } from "./explain.ts";
import { RecentConflicts } from "./recent-conflicts.ts";
import { RevisionChanges } from "./revision-changes.ts";
import { staleWriteOf } from "./stale-write.ts";

type Parts = Pick<ServerContext, "store" | "cache" | "clock" | "log" | "metrics">;

export class Conflicts {
  readonly recent = new RecentConflicts();
  readonly #parts: Parts;
  readonly #changes: RevisionChanges;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#changes = new RevisionChanges(parts.cache);
  }

  /** What the client is told of a 409 with the reason Conflict. */
  async tell(error: StatusError, exchange: Exchange, info: ResourceRequest): Promise<Status> {
    const explanation = await this.#explain(error, exchange);
    this.#remember(explanation, exchange, info);
    return withCauses(error.status, explanation);
  }

  /** For a conflict that another thread tells. */
  async explained(error: StatusError, exchange: Pick<Exchange, "body" | "requestId">): Promise<StatusError> {
    return new StatusError(withCauses(error.status, await this.#explain(error, exchange)));
  }

  async #explain(error: StatusError, { body, requestId }: Pick<Exchange, "body" | "requestId">): Promise<Explanation> {
    const write = staleWriteOf(error);
    if (write === undefined) return { causes: error.status.details?.causes ?? [] };
    try {
      return await explain({ ...this.#parts, changes: this.#changes }, write, body.byteLength);
    } catch (failure) {
      this.#parts.log.error({ requestId, error: failure }, "a conflict could not be explained");
      return { causes: [] };
    }
  }

  #remember({ causes, behindBy }: Explanation, { request, query, user, requestId }: Exchange, info: ResourceRequest): void {
    const { clock, metrics } = this.#parts;
    metrics.countConflict(causes[0]?.reason ?? "");
    const { group, version, resource, subresource, namespace, name, verb } = info;
    const userAgent = headerOf(request, "user-agent") ?? "";
    const manager = query.get("fieldManager") || managerOfAgent(userAgent);
    const record: ConflictRecord = {
      at: describeTime(clock.now()),
      loser: { user: clip(user.name, longest), manager: clip(manager, longest), userAgent: clip(userAgent, longest), verb, requestId },
      object: {
        group,
        version,
        resource,
        ...(subresource === "" ? {} : { subresource }),
        ...(namespace === "" ? {} : { namespace }),
        ...(name === "" ? {} : { name: clip(name, longest) }),
      },
      ...(behindBy === undefined ? {} : { behindBy }),
      causes,
    };
    this.recent.add(record, bytesOf(record));
  }
}

function withCauses(status: Status, { causes }: Explanation): Status {
  if (causes.length === 0 || causes === status.details?.causes) return status;
  return { ...status, details: { ...status.details, causes } };
}

const longest = 256;

/** Estimated: texts at their length, and what holds them. */
function bytesOf({ causes, loser }: ConflictRecord): number {
  const texts = causes.reduce((sum, { field = "", message = "" }) => sum + field.length + message.length + 100, 0);
  return 2 * (texts + loser.user.length + loser.manager.length + loser.userAgent.length) + 600;
}
