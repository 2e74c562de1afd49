import { isConflict, type Status, StatusError } from "@coxswain/machinery";
import type { Exchange } from "../../contracts/exchange.ts";
import type { Reply } from "../../contracts/http.ts";
import type { ResourceRequest } from "../../contracts/request-info.ts";
import type { Stage } from "../stage.ts";

/** What explains conflicts. */
export interface ConflictExplainer {
  /** What the client learns of a 409 with the reason Conflict. */
  explain(error: StatusError, exchange: Exchange, info: ResourceRequest): Promise<Status>;
}

/** Adds to conflicts what other writers changed since the client had read: last of all, when no lock is held any more. */
export const conflictExplanation = ({ conflicts }: { readonly conflicts: ConflictExplainer }): Stage => ({
  name: "conflict explanation",
  recover: (error, exchange) =>
    isConflict(error) && exchange.info.kind === "resource" ? explained(conflicts, error, exchange, exchange.info) : undefined,
});

async function explained(conflicts: ConflictExplainer, error: StatusError, exchange: Exchange, info: ResourceRequest): Promise<Reply> {
  throw new StatusError(await conflicts.explain(error, exchange, info));
}
