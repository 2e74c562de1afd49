import type { HistoryReader } from "@coxswain/history";
import { unknownPath } from "@coxswain/machinery";
import type { Invariant, ObservedReads } from "../contracts/invariant.ts";
import type { InvariantWatch, InvariantWatchOptions } from "../invariants/invariant-watch.ts";
import type { ResourceServer } from "./services.ts";

/** What is watched, which may still be on its way, and who is told what is found. */
export interface WatchInvariantsOptions extends Omit<InvariantWatchOptions, "invariants"> {
  readonly invariants: readonly Invariant[] | Promise<readonly Invariant[]>;
}

export interface WatchInvariantsParts {
  /** Undefined: what the store itself still has. */
  readonly history: HistoryReader | undefined;
  /** Undefined: what is read is not known. */
  readonly reads: ObservedReads | undefined;
}

/** Watches invariants; what that needs is loaded when the first are. */
export const createWatchInvariants =
  ({ storage, objects }: Pick<ResourceServer, "storage" | "objects">, { history, reads }: WatchInvariantsParts) =>
  async ({ invariants, ...options }: WatchInvariantsOptions): Promise<InvariantWatch> => {
    const { store, cache, served, definitions } = storage;
    const from = options.from ?? store.revision;
    if (reads !== undefined) reads.isOn = true;
    const [given, { InvariantWatch }, { isRecordable, windowHistory }] = await Promise.all([
      invariants,
      import("../invariants/invariant-watch.ts"),
      import("@coxswain/history"),
    ]);
    if (!isRecordable(store)) throw unknownPath();
    return new InvariantWatch(
      {
        ...{ store, cache, served, registry: definitions, eventLoop: objects.eventLoop },
        history: history ?? windowHistory(store),
        reads: reads?.log,
      },
      { ...options, invariants: given, from },
    );
  };

/** What clients read is remembered once somebody watches; undefined where that is not wanted. */
export async function observedReads(isWanted = false): Promise<ObservedReads | undefined> {
  if (!isWanted) return undefined;
  const { ReadLog } = await import("../invariants/read-log.ts");
  return { isOn: false, log: new ReadLog() };
}
