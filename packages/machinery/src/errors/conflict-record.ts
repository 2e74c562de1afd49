/** What coxswain reports of conflicts beyond what Kubernetes reports; docs/concepts/conflicts.md describes all of it. */
import type { StatusCause } from "./status-object.ts";

/** The `reason` of each of a conflict's causes. */
export type ConflictReason =
  | "OverlappingChange"
  | "OtherChange"
  | "StatusChange"
  | "OtherObject"
  | "UnknownVersion"
  | "HistoryCompacted"
  | "NotCompared"
  | "MoreChanges";

/** One conflict, as `GET /coxswain/v1/conflicts` lists it. */
export interface ConflictRecord {
  /** RFC 3339 in UTC, with milliseconds. */
  readonly at: string;
  readonly loser: {
    readonly user: string;
    readonly manager: string;
    readonly userAgent: string;
    /** The Audit-Id of the answer. */
    readonly requestId: string;
    /** As authorizers see it: `update`, `patch`, `delete`, `create`. */
    readonly verb: string;
  };
  readonly object: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    /** Absent where the URL names none. */
    readonly name?: string;
  };
  /** The version that the loser's write was based on, as it was sent; absent where it named none. */
  readonly readResourceVersion?: string;
  /** How often the object was written since the loser had read it, where that was counted. */
  readonly behindBy?: number;
  /** Those of the answer. Kubernetes' own where the conflict is not about versions. */
  readonly causes: readonly StatusCause[];
}

/** The newest conflicts that the server has explained. */
export interface ConflictList {
  readonly kind: "ConflictList";
  readonly apiVersion: "coxswain/v1";
  /** Newest first. */
  readonly items: readonly ConflictRecord[];
}
