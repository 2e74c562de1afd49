/** Brings the table of one family to a ruleset: by what has changed, or wholly where it is not known what the table has. */
import type { Clock } from "@coxswain/machinery";
import type { IpFamily } from "../contracts/ip-family.ts";
import { changesBetween, type Transaction } from "../nft/changes.ts";
import { fullSync, rewriteTable } from "../nft/full-sync.ts";
import type { Nft } from "../nft/nft.ts";
import { tableCommands, tableName } from "../nft/table.ts";
import { countsOf, deviationFrom, type TableCounts } from "../nft/table-counts.ts";
import type { Ruleset } from "../ruleset/rules.ts";

/** Chains that nothing leads to are deleted no sooner than this; milliseconds. */
export const staleChainMs = 1_000;

/** How a table was brought up to date. */
export interface SyncOutcome {
  readonly kind: "full" | "partial" | "none";
  readonly commands: number;
}

/** The table of one family. */
export class FamilyProxier {
  readonly family: IpFamily;
  readonly #nft: Nft;
  readonly #clock: Clock;
  /** What the table has; undefined when that is not known. */
  #applied: Ruleset | undefined;
  /** The last full sync has failed: what is there may be in its way. */
  #rewrite = false;
  /** When nothing led to them any more, on the monotonic clock. */
  readonly #stale = new Map<string, number>();

  /** Of the table, since all was last written. */
  #handle: number | undefined;
  /** How much of everything it should have. */
  #expected: { readonly ruleset: Ruleset; readonly counts: TableCounts } | undefined;

  constructor(family: IpFamily, nft: Nft, clock: Clock) {
    this.family = family;
    this.#nft = nft;
    this.#clock = clock;
  }

  /** What the table has, as far as it is known. */
  get applied(): Ruleset | undefined {
    return this.#applied;
  }

  /** The next sync writes everything. */
  forget(): void {
    this.#applied = undefined;
  }

  /** @throws NftError, and then the next sync writes everything */
  async sync(ruleset: Ruleset, signal: AbortSignal): Promise<SyncOutcome> {
    const before = this.#applied;
    this.#applied = undefined;
    const isPartial = before !== undefined && before.base === ruleset.base;
    const transaction = isPartial ? changesBetween(before, ruleset) : await this.#whole(ruleset, signal);
    if (transaction.commands.length > 0) {
      const failsAgain = !isPartial;
      await this.#nft.run(transaction.commands, signal).catch((error: unknown) => {
        this.#rewrite = failsAgain;
        throw error;
      });
    }
    this.#rewrite = false;
    if (!isPartial) this.#handle = undefined;
    this.#applied = ruleset;
    this.#noteStale(ruleset, transaction);
    const commands = transaction.commands.length;
    return { kind: isPartial ? (commands === 0 ? "none" : "partial") : "full", commands };
  }

  /** In what the table is not what was written, for people: somebody may have flushed rules of the machine. Undefined: in nothing. */
  async deviation(signal: AbortSignal): Promise<string | undefined> {
    const applied = this.#applied;
    if (applied === undefined) return undefined;
    const handle = await this.#nft.tableHandle(this.family, signal);
    this.#handle ??= handle;
    if (handle === undefined || handle !== this.#handle) return `table ${tableName}: not there, or another one`;
    if (this.#expected?.ruleset !== applied) this.#expected = { ruleset: applied, counts: countsOf(applied) };
    return deviationFrom(this.#expected.counts, await this.#nft.countTable(this.family, signal));
  }

  /** In how many milliseconds there is something to delete; undefined: never. */
  get staleInMs(): number | undefined {
    const [since] = this.#stale.values();
    return since === undefined ? undefined : Math.max(0, since + staleChainMs - this.#clock.monotonic());
  }

  /** Deletes chains that nothing leads to. @throws NftError, and then the next sync writes everything */
  async deleteStale(signal: AbortSignal): Promise<void> {
    const until = this.#clock.monotonic() - staleChainMs;
    const due = [...this.#stale].filter(([, since]) => since <= until).map(([name]) => name);
    if (due.length === 0) return;
    for (const name of due) this.#stale.delete(name);
    const table = tableCommands(this.family);
    try {
      await this.#nft.run(
        due.map((name) => table.deleteChain(name)),
        signal,
      );
    } catch (error) {
      this.#applied = undefined;
      throw error;
    }
  }

  async #whole(ruleset: Ruleset, signal: AbortSignal): Promise<Transaction> {
    if (this.#rewrite) return rewriteTable(ruleset);
    return fullSync(ruleset, await this.#nft.readTable(this.family, signal));
  }

  #noteStale({ services }: Ruleset, { staleChains, commands }: Transaction): void {
    if (commands.length === 0) return;
    const now = this.#clock.monotonic();
    for (const name of staleChains) this.#stale.set(name, now);
    // What is wanted again is no longer to be deleted.
    for (const name of this.#stale.keys()) {
      const [, namespace, service] = name.split("/");
      if (services.get(`${namespace}/${service}`)?.chains.has(name)) this.#stale.delete(name);
    }
  }
}
