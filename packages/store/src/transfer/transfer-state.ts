import { StorageError } from "../storage/store.ts";
import { StateDigest, type StateEntry, type StateSource, type StateSummary, type StateTarget, type TargetReport } from "./state.ts";

/** What is done to each entry on its way. */
export interface TransferOptions {
  /** What the target gets of an entry; undefined for what is left out. By default entries stay as they are. */
  readonly convert?: (entry: StateEntry) => StateEntry | undefined | Promise<StateEntry | undefined>;
  readonly onProgress?: (done: { readonly entries: number; readonly of: number }) => void;
}

/** What was transferred, as it is at the target. */
export interface Transferred extends TargetReport {
  readonly summary: StateSummary;
}

/** From the one to the other, page by page, and compared in the end. @throws StorageError */
export async function transferState(source: StateSource, target: StateTarget, options: TransferOptions = {}): Promise<Transferred> {
  const { convert = (entry) => entry, onProgress } = options;
  const digest = new StateDigest();
  let read = 0;
  for await (const page of source.pages()) {
    const converted: StateEntry[] = [];
    for (const entry of page) {
      const made = await convert(entry);
      if (made === undefined) continue;
      digest.add(made);
      converted.push(made);
    }
    await target.write(converted);
    read += page.length;
    onProgress?.({ entries: read, of: Math.max(read, source.entries) });
  }
  const { summary } = digest;
  return { ...(await target.finish(summary)), summary };
}

/** @throws StorageError */
export function checkSameState(found: StateSummary, wanted: StateSummary, where: string): void {
  const textOf = ({ entries, bytes, digest }: StateSummary): string => `${entries} entries, ${bytes} bytes, digest ${digest}`;
  if (textOf(found) !== textOf(wanted))
    throw new StorageError(`what is in ${where} now (${textOf(found)}) is not what was written (${textOf(wanted)})`);
}
