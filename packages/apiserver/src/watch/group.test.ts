import assert from "node:assert/strict";
import { test } from "node:test";
import type { Revision, StoreEvent, WatchBatch } from "@coxswain/store";
import type { Sink } from "../contracts/http.ts";
import type { WatchConversions } from "./conversion-queue.ts";
import type { EventEncoder, WatchView } from "./event-encoder.ts";
import { WatchGroup } from "./group.ts";
import { Watcher } from "./watcher.ts";

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const view = { prefix: "/a/", resource: { definition: {} } } as unknown as WatchView;

/** A store in which happens what the test says. */
class ScriptedStore {
  revision = 1 as Revision;
  receive: (batch: WatchBatch) => void = () => {};
  subscribe(_prefix: string, _options: object, receive: (batch: WatchBatch) => void): Disposable {
    this.receive = receive;
    return { [Symbol.dispose]() {} };
  }
  delete(key: string): void {
    this.revision = (this.revision + 1) as Revision;
    const { revision } = this;
    const previous = { key, value: Buffer.from(key), created: revision, modified: revision, derived: undefined };
    this.receive({ revision, events: [{ type: "delete", key, revision, previous }] });
  }
}

class Client implements Sink {
  readonly writes: string[] = [];
  prefersFewWrites = true;
  /** What `write` answers, and what is left of it. */
  takesMore = true;
  buffered = 0;
  closed = false;
  write(chunk: Uint8Array): boolean {
    this.writes.push(Buffer.from(chunk).toString());
    return this.takesMore;
  }
  end(): void {}
  abort(): void {
    this.closed = true;
  }
  onClose(): void {}
  async drained(): Promise<void> {}
}

function groupOf(store: ScriptedStore): { readonly group: WatchGroup; readonly join: () => Client; readonly series: { count: number } } {
  const encoder = { encode: (event: StoreEvent) => Buffer.from(event.type === "delete" ? event.key : "") } as unknown as EventEncoder;
  const series = { group: "", version: "v1", resource: "deletions", count: 0 };
  const group = new WatchGroup("key", view, encoder, {
    store,
    series,
    after: store.revision,
    conversions: {} as WatchConversions,
    onReplaced: () => {},
  });
  const join = (): Client => {
    const client = new Client();
    group.members.add(new Watcher(client, { bookmarks: false, deadline: 0, nextBookmark: 0 }));
    return client;
  };
  return { group, join, series };
}

test("what happens in one round of the event loop is one write to each watcher", async () => {
  const store = new ScriptedStore();
  const { join, series } = groupOf(store);
  const [one, two] = [join(), join()];
  for (const key of ["a", "b", "c"]) store.delete(key);
  await nextRound();
  store.delete("d");
  await nextRound();
  assert.deepEqual(
    [one.writes, two.writes],
    [
      ["abc", "d"],
      ["abc", "d"],
    ],
  );
  assert.equal(series.count, 8);
});

test("a reader in the same process sees each change in the turn in which it happens", () => {
  const store = new ScriptedStore();
  const near = groupOf(store).join();
  near.prefersFewWrites = false;
  for (const key of ["a", "b"]) store.delete(key);
  assert.deepEqual(near.writes, ["a", "b"]);
});

test("who joins after a flush does not see what waited", async () => {
  const store = new ScriptedStore();
  const { group, join } = groupOf(store);
  const early = join();
  store.delete("a");
  group.flush();
  const late = join();
  store.delete("b");
  await nextRound();
  assert.deepEqual([early.writes, late.writes], [["a", "b"], ["b"]]);
});

test("a client that lets too much pile up is cut off, one that catches up is not", async () => {
  const store = new ScriptedStore();
  const { join } = groupOf(store);
  const [behind, slow] = [join(), join()];
  behind.takesMore = slow.takesMore = false;
  for (const key of ["a", "b"]) {
    store.delete(key);
    await nextRound();
    behind.buffered = 5 * 1024 * 1024;
    slow.buffered = 1024;
  }
  assert.deepEqual([behind.writes, behind.closed], [["a"], true]);
  assert.deepEqual([slow.writes, slow.closed], [["a", "b"], false]);
});
