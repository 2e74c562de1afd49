import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { bytesOf } from "../contract/model.ts";
import { emptyTree, putEntry } from "../engine/tree.ts";
import type { Revision, Write, WriteResult } from "../storage/store.ts";
import { decideBatch, type Waiting } from "./batch.ts";

const rev = (n: number) => n as Revision;
const durable = putEntry(emptyTree, { key: "/a", value: bytesOf("old"), created: rev(3), modified: rev(5), derived: undefined });

/** Queues writes and notes what is answered before anything is durable. */
function queueOf(ops: readonly Write[]): { queue: Waiting[]; atOnce: (string | undefined)[] } {
  const atOnce: (string | undefined)[] = ops.map(() => undefined);
  const queue = ops.map((op, i) => ({
    op,
    note: undefined,
    origin: undefined,
    resolve: ({ ok, revision }: WriteResult) => {
      atOnce[i] = `${ok ? "won" : "lost"} at ${revision}`;
    },
    reject: () => {
      atOnce[i] = "refused";
    },
  }));
  return { queue, atOnce };
}

const put = (key: string, expect: number | "absent", bytes = 1): Write => ({
  op: "put",
  key,
  value: new Uint8Array(bytes),
  expect: expect as Revision,
});
const remove = (key: string, expect: number): Write => ({ op: "delete", key, expect: rev(expect) });

const cases: readonly {
  name: string;
  ops: readonly Write[];
  atOnce: readonly (string | undefined)[];
  later: readonly string[];
  changes: number;
}[] = [
  { name: "a write that loses to what is durable is answered at once", ops: [put("/a", 4)], atOnce: ["lost at 9"], later: [], changes: 0 },
  {
    name: "a write that wins waits",
    ops: [put("/a", 5), put("/b", "absent")],
    atOnce: [undefined, undefined],
    later: ["won at 10", "won at 11"],
    changes: 2,
  },
  {
    name: "a write that loses to one of the same batch waits with it",
    ops: [put("/a", 5), put("/a", 5)],
    atOnce: [undefined, undefined],
    later: ["won at 10", "lost at 10"],
    changes: 1,
  },
  {
    name: "a write may follow one of the same batch",
    ops: [put("/a", 5), remove("/a", 10), put("/a", "absent")],
    atOnce: [undefined, undefined, undefined],
    later: ["won at 10", "won at 11", "won at 12"],
    changes: 3,
  },
  {
    name: "a write that cannot be refuses only itself",
    ops: [put("/\ud800", "absent"), put("/b", "absent")],
    atOnce: ["refused", undefined],
    later: ["won at 10"],
    changes: 1,
  },
];

suite("a batch of queued writes", () => {
  for (const { name, ops, atOnce, later, changes } of cases)
    test(name, () => {
      const waiting = queueOf(ops);
      const batch = decideBatch(waiting.queue, durable, rev(9), 0);
      assert.deepEqual(waiting.atOnce, atOnce);
      assert.deepEqual(
        batch.answers.map(({ result: { ok, revision } }) => `${ok ? "won" : "lost"} at ${revision}`),
        later,
      );
      assert.deepEqual([batch.changes.length, batch.taken], [changes, ops.length]);
    });

  test("takes no more when it has become large", () => {
    const { queue } = queueOf(Array.from({ length: 10 }, (_, i) => put(`/${i}`, "absent", 4 * 1024 * 1024)));
    assert.equal(decideBatch(queue, durable, rev(9), 0).taken, 4);
  });
});
