/** The writing thread ends while a commit is under way: what was stored decides, and the store goes on by itself. */

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Worker } from "node:worker_threads";
import { quiescence, waitUntil } from "@coxswain/machinery/testing";
import { manualClock } from "../contract/manual-clock.ts";
import { bytesOf } from "../contract/model.ts";
import type { Revision, Write } from "../storage/store.ts";
import { startWorker } from "./journal.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
const put = (key: string): Write => ({ op: "put", key, value: bytesOf("1"), expect: "absent" });

/** A store whose first thread ends at its n-th answer, undelivered, or with its n-th request; those after it are started by `nextStarts`. */
async function open(name: string, when: "before" | "after", nextStarts: readonly ((path: string) => Worker)[] = []) {
  const clock = manualClock();
  const starts = [...nextStarts];
  let first = true;
  const start = (path: string): Worker => {
    if (!first) return (starts.shift() ?? startWorker)(path);
    first = false;
    const worker = startWorker(path);
    const post = worker.postMessage.bind(worker);
    const emit = worker.emit.bind(worker);
    let armed = false;
    worker.postMessage = (message: { readonly batch?: { readonly keys: readonly string[] } }, ...rest) => {
      if (message.batch?.keys.includes("/lost") !== true) return post(message, ...(rest as []));
      if (when === "before") void worker.terminate();
      else {
        armed = true;
        post(message, ...(rest as []));
      }
    };
    worker.emit = (event: string | symbol, ...args: unknown[]) => {
      if (event !== "message" || !armed) return emit(event, ...args);
      void worker.terminate();
      return true;
    };
    return worker;
  };
  const path = folder(name);
  return { clock, path, store: await openSqliteStore({ path, clock }, start) };
}

const dead = (): Worker => new Worker("process.exit(1)", { eval: true });

suite("a store whose writing thread ends", () => {
  test("after the commit answers that it took place, and writes on", async () => {
    const { store, path } = await open("after.db", "after");
    const seen: Revision[] = [];
    store.subscribe("/", { after: store.revision }, ({ revision }) => seen.push(revision));
    const lost = await store.write(put("/lost"));
    assert.deepEqual([lost.ok, lost.revision, store.writeFailure], [true, 2, undefined]);
    assert.equal((await store.write(put("/next"))).revision, 3);
    assert.deepEqual(seen, [2, 3]);
    await store[Symbol.asyncDispose]();
    await using again = await openSqliteStore({ path, clock: manualClock() });
    assert.deepEqual(
      (await again.list("/")).entries.map(({ key }) => key),
      ["/lost", "/next"],
    );
  });

  test("before the commit answers that nothing was written, and writes on", async () => {
    const { store } = await open("before.db", "before");
    await assert.rejects(store.write(put("/lost")), { name: "StorageError", message: /nothing was written/ });
    assert.equal((await store.write(put("/next"))).revision, 2);
    assert.deepEqual(
      (await store.list("/")).entries.map(({ key }) => key),
      ["/next"],
    );
    await store[Symbol.asyncDispose]();
  });

  for (const [when, keys] of [
    ["after", ["/lost", "/next"]],
    ["before", ["/next"]],
  ] as const)
    test(`${when} the commit, and whose file cannot be read, says so until it can`, async () => {
      const { store, clock } = await open(`unconfirmed-${when}.db`, when, [dead, dead]);
      await assert.rejects(store.write(put("/lost")), { name: "OutcomeUnknownError" });
      assert.match(store.writeFailure?.message ?? "", /not known whether the write took effect/);
      await assert.rejects(store.write(put("/early")), { name: "StorageError", message: /nothing can be written/ });
      const known = Promise.withResolvers<void>();
      if (when === "after") store.subscribe("/", { after: store.revision }, () => known.resolve());
      clock.advance(1_000);
      if (when === "after") await known.promise;
      assert.equal((await store.write(put("/next"))).ok, true);
      assert.equal(store.writeFailure, undefined);
      assert.deepEqual(
        (await store.list("/")).entries.map(({ key }) => key),
        keys,
      );
      await store[Symbol.asyncDispose]();
    });

  test("says that it cannot write while a commit takes very long", async () => {
    let silent: Worker | undefined;
    const start = (): Worker => (silent = new Worker("setInterval(() => {}, 1e6)", { eval: true }));
    const { store, clock } = await open("slow.db", "before", [start]);
    const lost = assert.rejects(store.write(put("/lost")), { name: "OutcomeUnknownError" });
    await quiescence();
    const failure = (): Error | undefined => store.writeFailure;
    assert.equal(failure(), undefined);
    clock.advance(10_000);
    assert.match(failure()?.message ?? "", /takes very long/);
    const writer = await waitUntil("the silent writer", () => silent);
    await writer.terminate();
    await lost;
    await store[Symbol.asyncDispose]();
  });
});
