/** Brings the table of one family to what it should be: by what differs, or wholly where it is not known what the table has. */
import type { Clock } from "@coxswain/machinery";
import { deviationFrom, type IpFamily, type Nft, type TableCounts } from "@coxswain/proxy";
import { type PolicyTable, tableName } from "../contracts/policy-table.ts";
import { changesBetween, deleteChains, wholeTable } from "../nft/changes.ts";

/** Chains that nothing leads to are deleted no sooner than this; milliseconds. */
const staleChainMs = 1_000;

/** The table of one family. */
export class FamilyWriter {
  readonly family: IpFamily;
  readonly #nft: Nft;
  readonly #clock: Clock;
  /** What the table has; undefined when that is not known. */
  #applied: PolicyTable | undefined;
  /** Of the table, since all was last written. */
  #handle: number | undefined;
  /** Since when nothing leads to them, on the monotonic clock. */
  readonly #stale = new Map<string, number>();

  constructor(family: IpFamily, nft: Nft, clock: Clock) {
    this.family = family;
    this.#nft = nft;
    this.#clock = clock;
  }

  /** Whether the table has what was last wanted. */
  get isWritten(): boolean {
    return this.#applied !== undefined;
  }

  /** The next time all is written. */
  forget(): void {
    this.#applied = undefined;
  }

  /** What was to be written. @throws NftError, and then all is written the next time */
  async write(table: PolicyTable, signal: AbortSignal): Promise<"full" | "partial" | "none"> {
    const before = this.#applied;
    const { commands, staleChains } =
      before === undefined ? { commands: wholeTable(table), staleChains: [] } : changesBetween(before, table);
    this.#applied = undefined;
    if (commands.length > 0) await this.#nft.run(commands, signal);
    this.#applied = table;
    if (before === undefined) {
      this.#handle = undefined;
      this.#stale.clear();
    }
    for (const name of staleChains) this.#stale.set(name, this.#clock.monotonic());
    for (const name of table.chains.keys()) this.#stale.delete(name);
    return before === undefined ? "full" : commands.length === 0 ? "none" : "partial";
  }

  /** In what the table is not what was written, for people; undefined: in nothing. @throws NftError */
  async deviation(signal: AbortSignal): Promise<string | undefined> {
    const applied = this.#applied;
    if (applied === undefined) return undefined;
    const handle = await this.#nft.tableHandle(this.family, signal);
    this.#handle ??= handle;
    if (handle === undefined || handle !== this.#handle) return `table ${tableName}: not there, or another one`;
    return deviationFrom(countsOf(applied), await this.#nft.countTable(this.family, signal));
  }

  /** In how many milliseconds there is something to delete; undefined: never. */
  get staleInMs(): number | undefined {
    const [since] = this.#stale.values();
    return since === undefined ? undefined : Math.max(0, since + staleChainMs - this.#clock.monotonic());
  }

  /** Deletes chains that nothing leads to. @throws NftError, and then all is written the next time */
  async deleteStale(signal: AbortSignal): Promise<void> {
    const until = this.#clock.monotonic() - staleChainMs;
    const due = [...this.#stale].filter(([, since]) => since <= until).map(([name]) => name);
    for (const name of due) this.#stale.delete(name);
    if (due.length === 0) return;
    try {
      await this.#nft.run(deleteChains(this.family, due), signal);
    } catch (error) {
      this.#applied = undefined;
      throw error;
    }
  }
}

const countsOf = ({ chains, sets }: PolicyTable): TableCounts => ({
  chains: new Map([...chains].map(([name, { rules }]) => [name, rules.length])),
  containers: new Map([...sets].map(([name, { elements }]) => [name, elements.size])),
});
