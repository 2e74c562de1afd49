import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Worker } from "node:worker_threads";
import { bytesOf } from "../contract/model.ts";
import type { Change } from "../engine/change-log.ts";
import type { Revision } from "../store.ts";
import { Journal } from "./journal.ts";
import { decodeBatch, encodeBatch } from "./protocol.ts";

const rev = (n: number) => n as Revision;
const entry = { key: "/a", value: bytesOf("one"), created: rev(2), modified: rev(2), derived: undefined };
const changes: readonly Change[] = [
  { revision: rev(2), at: 7, event: { type: "put", entry, previous: undefined }, note: { user: "alice" } },
  { revision: rev(3), at: 7, event: { type: "delete", key: "/a", revision: rev(3), previous: entry }, note: undefined },
  {
    revision: rev(4),
    at: 7,
    event: { type: "put", entry: { ...entry, value: bytesOf(""), created: rev(4), modified: rev(4) }, previous: undefined },
    note: undefined,
  },
];

test("a batch comes out of its message as it went in", () => {
  const { key, value } = entry;
  assert.deepEqual(
    [...decodeBatch(structuredClone(encodeBatch(changes)))],
    [
      { revision: 2, key, created: 2, previous: null, at: 7, note: '{"user":"alice"}', value },
      { revision: 3, key, created: 3, previous: 2, at: 7, note: null, value: null },
      { revision: 4, key, created: 4, previous: null, at: 7, note: null, value: new Uint8Array() },
    ],
  );
});

suite("a journal whose thread has ended", () => {
  const ended = { name: "StorageError", message: /the thread that writes .*x\.db has ended: restart coxswain/ };
  for (const [how, code] of [
    ["exits", "process.exit(1)"],
    ["throws", "throw new Error('out of memory')"],
  ] as const)
    test(`because it ${how} refuses the commit on its way and all later ones`, async () => {
      const journal = new Journal("/data/x.db", new Worker(code, { eval: true }), 1);
      await assert.rejects(journal.commit(changes, 1), ended);
      await assert.rejects(journal.commit(changes, 1), ended);
      await journal.close();
    });
});
