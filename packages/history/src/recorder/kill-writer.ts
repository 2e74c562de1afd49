/**
 * A program for the tests to kill: writes without a pause, from eight writers at once, records all of it, has the store forget as much as it
 * can meanwhile, and says each acknowledged write on its standard output before it goes on. Arguments: a folder, and a seed.
 */
import { join } from "node:path";
import { systemClock } from "@coxswain/machinery";
import { openSqliteStore } from "@coxswain/store";
import { openHistory } from "./open-history.ts";
import { isRecordable } from "./recorder.ts";

const writers = 8;
const [folder = "", seed = "1"] = process.argv.slice(2);
const store = await openSqliteStore({ clock: systemClock, path: join(folder, "state.db"), historyMs: 0, historyRevisions: 20 });
if (!isRecordable(store)) throw new Error("the store has no changes of its own");
await openHistory({
  path: join(folder, "history.db"),
  store,
  clock: systemClock,
  log: { warn: (_, message) => process.stderr.write(`${message}\n`) },
});
await Promise.all([forget(), ...Array.from({ length: writers }, (_, writer) => writeForever(writer))]);

async function forget(): Promise<never> {
  for (;;) {
    await store.compact(store.revision);
    await new Promise<void>((resolve) => systemClock.schedule(5, resolve));
  }
}

async function writeForever(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const key = `/key/${writer}-${n % 5}`;
    const { entry } = await store.get(key);
    const text = `${seed}-${writer}-${n} ${"x".repeat((n * 37) % 500)}`;
    const expect = entry?.modified ?? ("absent" as const);
    const isDeletion = entry !== undefined && n % 7 === 0;
    const op = isDeletion
      ? { op: "delete" as const, key, expect: entry.modified }
      : { op: "put" as const, key, value: Buffer.from(text), expect };
    const written = await store.write(op, { user: `writer-${writer}`, requestId: `${seed}-${n}` });
    if (written.ok) await say(`${written.revision} ${key} ${isDeletion ? "-" : text.slice(0, text.indexOf(" "))}`);
  }
}

/** Resolves when the line has left the process. */
function say(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}
