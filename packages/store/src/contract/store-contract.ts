/** What every driver must do; each runs all of it. */
import type { HistoryOptions } from "../engine/history-store.ts";
import type { Store } from "../storage/store.ts";
import { historyContract } from "./history-contract.ts";
import { propertyContract } from "./property-contract.ts";
import { watchContract } from "./watch-contract.ts";
import { writeContract } from "./write-contract.ts";

/** Opens an empty store. The caller disposes of it. */
export type OpenStore = (options: HistoryOptions) => Promise<Store>;

/** In what drivers may differ. */
export interface DriverTraits {
  /** How many random histories are tried. */
  readonly runs: number;
  /** Whether writes that are under way at the same time are decided in the order in which they came; otherwise in any. */
  readonly decidesInOrder?: boolean;
  /** Whether each entry that one write changes has a revision of its own; otherwise they share one. */
  readonly revisionPerEntry?: boolean;
  /** Whether each value has a buffer of its own. */
  readonly ownsBuffers?: boolean;
}

export function storeContract(driver: string, open: OpenStore, traits: DriverTraits): void {
  const all: Required<DriverTraits> = { decidesInOrder: true, revisionPerEntry: true, ownsBuffers: true, ...traits };
  writeContract(driver, open, all);
  historyContract(driver, open);
  watchContract(driver, open);
  propertyContract(driver, open, all);
}
