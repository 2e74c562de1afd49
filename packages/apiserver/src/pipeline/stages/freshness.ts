/**
 * Where several servers share a store, a request sees all that any of them has acknowledged before it came: what it reads, and what it may
 * do. Reads that name a resourceVersion do not ask for that: what is at hand suffices, or is waited for.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 */
import { unauthorized } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { Exchange } from "../../contracts/exchange.ts";
import type { PipelineExchange, Stage } from "../stage.ts";

/** Stands before the user's rights are asked for. @param freshen as a store has it that is shared */
export const freshness = (freshen: NonNullable<Store["freshen"]>): Stage => ({
  name: "freshness",
  wrap: (next) => (exchange) => (wantsNewest(exchange) ? seeNewest(freshen, exchange).then(() => next(exchange)) : next(exchange)),
});

/** Where that takes no waiting: before anything is decided about a request, of whatever kind. */
export const freshnessNow = (freshenNow: NonNullable<Store["freshenNow"]>): Stage => ({
  name: "freshness",
  wrap: (next) => (exchange) => {
    freshenNow();
    return next(exchange);
  },
});

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);

const wantsNewest = ({ info, query }: Exchange): boolean =>
  info.kind === "resource" && (!reads.has(info.verb) || (query.get("resourceVersion") ?? "") === "");

/** What vouched for the user may have gone meanwhile. @throws unauthorized() */
async function seeNewest(freshen: NonNullable<Store["freshen"]>, { reauthenticate }: PipelineExchange): Promise<void> {
  await freshen();
  const answer = await reauthenticate?.();
  if (answer !== undefined && answer.kind !== "authenticated") throw unauthorized();
}
