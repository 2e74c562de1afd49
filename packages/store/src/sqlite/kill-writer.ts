/**
 * A program for the tests to kill: writes without a pause, from sixteen writers at once, and says each acknowledged write
 * on its standard output before it goes on. Arguments: the data file, a seed, and how many revisions of history to keep.
 */
import { systemClock } from "@coxswain/machinery";
import { Lottery, valueFor } from "./kill-lottery.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const [path = "", seed = "1", historyRevisions = "100000"] = process.argv.slice(2);
const store = await openSqliteStore({ clock: systemClock, path, historyMs: 0, historyRevisions: Number(historyRevisions) });
await say(`opened ${store.revision}`);
await Promise.all(Array.from({ length: 16 }, (_, writer) => writeForever(new Lottery(Number(seed) * 16 + writer))));

async function writeForever(lottery: Lottery): Promise<void> {
  for (;;) {
    const key = `/key/${lottery.draw(200)}`;
    const { entry } = await store.get(key);
    const isDelete = entry !== undefined && lottery.draw(5) === 0;
    const value = valueFor(key, lottery.draw(1_000_000), lottery.draw(3_000));
    const op = isDelete
      ? { op: "delete" as const, key, expect: entry.modified }
      : { op: "put" as const, key, value, expect: entry?.modified ?? ("absent" as const) };
    const result = await store.write(op);
    if (result.ok) await say(`${result.revision} ${key} ${isDelete ? "-" : Buffer.from(value).toString("latin1", 0, 24)}`);
  }
}

/** Resolves when the line has left the process. */
function say(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}
