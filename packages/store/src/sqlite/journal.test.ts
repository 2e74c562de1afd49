import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Worker } from "node:worker_threads";
import { bytesOf } from "../contract/model.ts";
import type { Change } from "../engine/change-log.ts";
import type { Revision } from "../storage/store.ts";
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

test("a commit that the disk has failed in the middle of may have taken effect", async () => {
  const answer = '{ ok: false, failure: { code: 10, message: "disk I/O error" } }';
  const code = `const { parentPort } = require("node:worker_threads"); parentPort.once("message", () => parentPort.postMessage(${answer}))`;
  const journal = new Journal({ path: "/data/x.db", start: () => new Worker(code, { eval: true }), compacted: 1 });
  await assert.rejects(journal.commit(changes, 1), { name: "OutcomeUnknownError", message: /disk I\/O error/ });
});

suite("a journal whose thread has ended", () => {
  /** Threads that answer as the scripts say, one after the other. */
  const journalOf = (...scripts: readonly string[]): Journal => {
    const left = [...scripts];
    return new Journal({ path: "/data/x.db", start: () => new Worker(left.shift() ?? scripts.at(-1) ?? "", { eval: true }), compacted: 1 });
  };
  const fileAt = (newest: number): string =>
    `const { parentPort } = require("node:worker_threads");
     parentPort.on("message", ({ kind }) => {
       parentPort.postMessage({ ok: true, newest: ${newest} });
       if (kind === "close") parentPort.close();
     });`;
  const ends = [
    ["exits", 'require("node:worker_threads").parentPort.once("message", () => process.exit(1))'],
    ["throws", "throw new Error('out of memory')"],
  ] as const;
  const outcomes = [
    { name: "takes a commit that the file has for done", next: fileAt(4), error: undefined },
    {
      name: "takes a commit that the file lacks for refused",
      next: fileAt(1),
      error: { name: "StorageError", message: /nothing was written/ },
    },
    { name: "the outcome is unknown while the file cannot be read", next: "process.exit(1)", error: { name: "OutcomeUnknownError" } },
  ];
  for (const [how, code] of ends)
    for (const { name, next, error } of outcomes)
      test(`because it ${how} ${name}, and goes on`, async () => {
        const journal = journalOf(code, next, fileAt(4));
        const commit = journal.commit(changes, 1);
        if (error === undefined) await commit;
        else await assert.rejects(commit, error);
        await journal.commit(changes, 1);
        await journal.close();
        await assert.rejects(journal.commit(changes, 1), { name: "StorageError", message: "the store is closed" });
      });
});
