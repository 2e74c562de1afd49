/** The last conflicts, for whoever comes to look. */
import { managerOfAgent } from "@coxswain/apply";
import type { ConflictRecord } from "@coxswain/machinery";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { clip, describeTime } from "./cause-text.ts";
import type { Explanation } from "./explain.ts";

const capacity = { conflicts: 256, bytes: 1024 * 1024 };
/** Of what a request says of itself. */
const maxTextLength = 256;

/** As it happened; formatted only when it is requested. */
export interface Conflict {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly user: string;
  /** Empty when the request named none. */
  readonly manager: string;
  readonly userAgent: string;
  readonly requestId: string;
  readonly info: ResourceRequest;
  /** As it was sent. */
  readonly readAt: string | undefined;
  readonly explanation: Explanation;
}

export interface ConflictFilter {
  readonly namespace?: string | undefined;
  readonly resource?: string | undefined;
  readonly name?: string | undefined;
  readonly limit?: number | undefined;
  /** Those about others are left out. Default: none are. */
  readonly mayRead?: (info: ResourceRequest) => Promise<boolean>;
}

export class RecentConflicts {
  readonly #kept: { readonly conflict: Conflict; readonly bytes: number }[] = [];
  #bytes = 0;

  add(given: Conflict): void {
    const { user, manager, userAgent, readAt } = given;
    const conflict = {
      ...given,
      user: clip(user, maxTextLength),
      manager: clip(manager, maxTextLength),
      userAgent: clip(userAgent, maxTextLength),
      readAt: readAt === undefined ? undefined : clip(readAt, maxTextLength),
    };
    const bytes = bytesOf(conflict);
    this.#kept.push({ conflict, bytes });
    this.#bytes += bytes;
    while (this.#kept.length > capacity.conflicts || this.#bytes > capacity.bytes) this.#bytes -= this.#kept.shift()?.bytes ?? 0;
  }

  /** Newest first. */
  async list({ namespace, resource, name, limit = capacity.conflicts, mayRead }: ConflictFilter): Promise<readonly ConflictRecord[]> {
    const asked = (is: string, wanted: string | undefined): boolean => wanted === undefined || is === wanted;
    const matching = this.#kept
      .map(({ conflict }) => conflict)
      .filter(({ info }) => asked(info.namespace, namespace) && asked(info.resource, resource) && asked(info.name, name))
      .reverse();
    const shown: ConflictRecord[] = [];
    for (const conflict of matching) {
      if (shown.length >= limit) break;
      if (mayRead === undefined || (await mayRead(conflict.info))) shown.push(recordOf(conflict));
    }
    return shown;
  }
}

/** Estimated: texts at their length, and what holds them. */
function bytesOf({ explanation: { causes }, user, manager, userAgent, info, readAt = "" }: Conflict): number {
  let texts = user.length + manager.length + userAgent.length + info.name.length + readAt.length;
  for (const { field = "", message = "" } of causes) texts += field.length + message.length + 50;
  return 2 * texts + 600;
}

function recordOf({ at, user, manager, userAgent, requestId, info, readAt, explanation }: Conflict): ConflictRecord {
  const { group, version, resource, subresource, namespace, name, verb } = info;
  return {
    at: describeTime(at),
    loser: { user, manager: manager || managerOfAgent(userAgent), userAgent, verb, requestId },
    object: {
      group,
      version,
      resource,
      ...(subresource === "" ? {} : { subresource }),
      ...(namespace === "" ? {} : { namespace }),
      ...(name === "" ? {} : { name }),
    },
    ...(readAt === undefined ? {} : { readResourceVersion: readAt }),
    ...explanation,
  };
}
