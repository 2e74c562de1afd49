/** What every driver must do; each runs all of it. */
import type { HistoryOptions } from "../engine/history-store.ts";
import type { Store } from "../storage/store.ts";
import { historyContract } from "./history-contract.ts";
import { propertyContract } from "./property-contract.ts";
import { watchContract } from "./watch-contract.ts";
import { writeContract } from "./write-contract.ts";

/** Opens an empty store. The caller disposes of it. */
export type OpenStore = (options: HistoryOptions) => Promise<Store>;

/** `runs`: how many random histories are tried. */
export function storeContract(driver: string, open: OpenStore, { runs }: { runs: number }): void {
  writeContract(driver, open);
  historyContract(driver, open);
  watchContract(driver, open);
  propertyContract(driver, open, runs);
}
