import assert from "node:assert/strict";
import { test } from "node:test";
import { runDouble } from "./double.ts";
import { describeOperation, historyFromLines, historyToLines, tokensOf, withToken } from "./history.ts";
import { create, list, update } from "./history-under-test.ts";

test("a history is the same after it was written and read", () => {
  const history = runDouble({ seed: 1, operations: 100 });
  const lines = historyToLines(history);
  assert.equal(lines.split("\n").length, history.operations.length + history.watches.length + 1);
  assert.deepEqual(historyFromLines(lines), history);
});

const good = create([1, 2], "a", "one", 1);
const badLines: readonly (readonly [line: string, message: RegExp])[] = [
  ["{", /^line 2: no JSON/],
  ["null", /^line 2: the type must be operation or watch/],
  ['{"type":"note"}', /^line 2: the type must be/],
  ['{"type":"watch","from":0}', /^line 2: a watch needs items and from/],
  [JSON.stringify({ ...good, do: "replace" }), /^line 2: cannot do replace/],
  [JSON.stringify({ ...good, outcome: { kind: "maybe" } }), /^line 2: the outcome must be/],
  [JSON.stringify({ ...good, return: 0 }), /^line 2: an operation returns no earlier/],
  [JSON.stringify({ ...good, return: undefined }), /^line 2: an operation returns no earlier/],
];
for (const [line, message] of badLines)
  test(`a line that is no record: ${line}`, () => assert.throws(() => historyFromLines(`${JSON.stringify(good)}\n${line}\n`), { message }));

test("a value is a set of tokens", () => {
  assert.equal(withToken("", "b"), "b");
  assert.equal(withToken("b", "a"), "a b");
  assert.equal(withToken("a b", "b"), "a b");
  assert.deepEqual(tokensOf(""), []);
});

test("what operations are called in messages", () => {
  const described = [good, update([3, 4], "a", "x", { to: "Conflict" }), create([5, 6], "b", "x", "unknown"), list([7, 8], 9, [], 4)];
  assert.deepEqual(described.map(describeOperation), [
    "create of a by client-1 (server-1) from 1 to 2: ok at 1",
    "update of a by client-1 (server-1) from 3 to 4: Conflict",
    "create of b by client-1 (server-1) from 5 to 6: unknown",
    'list at "4" by client-2 (server-2) from 7 to 8: ok at 9',
  ]);
});
