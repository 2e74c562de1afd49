import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { propertyRuns } from "../../../../tests/scope.ts";
import { manualClock } from "../contract/manual-clock.ts";
import type { Entry, Store } from "../storage/store.ts";
import { isWhole, Lottery } from "./kill-lottery.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Acknowledged {
  readonly revision: number;
  readonly key: string;
  /** How the value begins; "-" for a deletion. */
  readonly mark: string;
}

const folder = temporaryFolder();
const program = fileURLToPath(new URL("./kill-writer.ts", import.meta.url));
const writers = 16;

/** Runs the writing program and kills it after so many acknowledged writes; -1: while it opens the file. */
async function writeUntilKilled(path: string, seed: number, history: number, acknowledgements: number): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [program, path, String(seed), String(history)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const acknowledged: Acknowledged[] = [];
  if (acknowledgements < 0) child.kill("SIGKILL");
  for await (const line of createInterface(child.stdout)) {
    const [revision = "", key = "", mark = ""] = line.split(/ (.*?) (.*)/s);
    if (revision !== "" && key !== "") acknowledged.push({ revision: Number(revision), key, mark });
    if (acknowledged.length >= acknowledgements) child.kill("SIGKILL");
  }
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL");
  return acknowledged;
}

const markOf = (entry: Entry | undefined) => (entry === undefined ? "-" : Buffer.from(entry.value).toString("latin1", 0, 24));

/** Every acknowledged write is there, or what came after it has taken its place. Returns the last revision. */
async function verify(path: string, history: number, before: number, acknowledged: readonly Acknowledged[]): Promise<number> {
  await using store = await openSqliteStore({ clock: manualClock(), path, historyMs: 0, historyRevisions: history });
  const newest = Math.max(before, ...acknowledged.map(({ revision }) => revision));
  assert.ok(store.revision >= newest, `revision ${newest} was acknowledged, ${store.revision} is the last`);
  // Each writer may have had one write on its way, and one whose acknowledgement it had not said.
  assert.ok(store.revision <= newest + 2 * writers, `${newest} was acknowledged last, and ${store.revision} is there`);
  const kept = keptEvents(store);
  assert.deepEqual(
    [...kept.keys()],
    Array.from({ length: store.revision - store.compacted }, (_, i) => store.compacted + 1 + i),
  );
  for (const { revision, key, mark } of acknowledged) {
    assert.ok(revision > before, `revision ${revision} was given out twice`);
    if (revision > store.compacted) assert.deepEqual(kept.get(revision), { key, mark }, `revision ${revision}`);
    const { entry } = await store.get(key);
    if (entry?.modified === revision) assert.equal(markOf(entry), mark);
    const isReplaced = entry !== undefined ? entry.modified >= revision : isDeletedFrom(revision, key, kept, store.compacted);
    assert.ok(isReplaced, `${key} has lost revision ${revision}`);
  }
  for (const { key, value } of (await store.list("")).entries) assert.ok(isWhole(key, value), `${key} is torn`);
  return store.revision;
}

interface Kept {
  readonly key: string;
  readonly mark: string;
}

function keptEvents(store: Store): Map<number, Kept> {
  const kept = new Map<number, Kept>();
  using _ = store.subscribe("", { after: store.compacted }, ({ events }) => {
    for (const event of events) {
      const { key, revision, entry } =
        event.type === "put" ? { ...event.entry, revision: event.entry.modified, entry: event.entry } : { ...event, entry: undefined };
      kept.set(revision, { key, mark: markOf(entry) });
    }
  });
  return kept;
}

/** A key may be absent after a write when it was deleted then or later; a deletion that is compacted cannot be seen any more. */
function isDeletedFrom(revision: number, key: string, kept: ReadonlyMap<number, Kept>, compacted: number): boolean {
  if (revision <= compacted) return true;
  return [...kept].some(([at, change]) => at >= revision && change.key === key && change.mark === "-");
}

suite("a process that is killed while it writes", { concurrency: 2 }, () => {
  /** Four files at once, each written and killed so often; two of them forget old revisions as they go. */
  const rounds = propertyRuns(24);
  for (const [lane, history] of [100_000, 500, 100_000, 300].entries())
    test(`loses nothing that it acknowledged, ${rounds} times (keeping ${history} revisions)`, async () => {
      const path = folder(`killed-${lane}.db`);
      const lottery = new Lottery(lane + 1);
      let revision = 1;
      for (let round = 0; round < rounds; round++) {
        const acknowledgements = lottery.draw(12) === 0 ? -1 : lottery.draw(lottery.draw(4) === 0 ? 3_000 : 300);
        const acknowledged = await writeUntilKilled(path, lane * 1_000 + round, history, acknowledgements);
        revision = await verify(path, history, revision, acknowledged);
      }
      assert.ok(revision > propertyRuns(1_000), `only ${revision} revisions were written`);
    });
});
