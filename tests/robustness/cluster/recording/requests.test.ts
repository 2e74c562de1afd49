/** What the answers to writes and reads say of the store. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation, Write } from "../history.ts";
import { type Answer, failureOf, objectOf, patchOf, storedValue, writeOutcome } from "./requests.ts";

const status = (code: number, reason: string, message = ""): Answer => ({ status: code, body: { kind: "Status", reason, message } });
const failed = (reason: string) => ({ kind: "failed", reason });
const unknown = { kind: "unknown" };

const failures: readonly { name: string; does: Operation["do"]; answer: Answer; expect: object }[] = [
  { name: "no answer", does: "update", answer: undefined, expect: unknown },
  { name: "a request that was not sent", does: "update", answer: "unsent", expect: failed("Other") },
  { name: "404 of an update", does: "update", answer: status(404, "NotFound"), expect: failed("NotFound") },
  { name: "404 of a create, which is of its namespace", does: "create", answer: status(404, "NotFound"), expect: failed("Other") },
  { name: "409 of a create", does: "create", answer: status(409, "AlreadyExists"), expect: failed("AlreadyExists") },
  { name: "409 of an update", does: "update", answer: status(409, "Conflict"), expect: failed("Conflict") },
  { name: "409 of a deletion with a precondition", does: "delete", answer: status(409, "Conflict"), expect: failed("Conflict") },
  { name: "409 of a patch, which names no version", does: "patch", answer: status(409, "Conflict"), expect: failed("Other") },
  { name: "422 of a JSON patch whose test failed", does: "patch", answer: status(422, "Invalid"), expect: failed("Other") },
  { name: "429", does: "create", answer: status(429, "TooManyRequests"), expect: failed("Other") },
  { name: "500 that says nothing of the write", does: "create", answer: status(500, "InternalError", "oops"), expect: unknown },
  {
    name: "500 that says that nothing was written",
    does: "create",
    answer: status(500, "InternalError", "Internal error occurred: the storage failed, and nothing was written; the server's log"),
    expect: failed("Other"),
  },
  {
    name: "500 in the words with which etcd refuses",
    does: "update",
    answer: status(500, "", "etcdserver: mvcc: database space exceeded"),
    expect: failed("Other"),
  },
  { name: "503", does: "create", answer: status(503, "ServiceUnavailable"), expect: unknown },
  { name: "504", does: "list", answer: status(504, "Timeout"), expect: unknown },
];
for (const { name, does, answer, expect } of failures) test(name, () => assert.deepEqual(failureOf(answer, does), expect));

const answered: Answer = { status: 200, body: { metadata: { name: "a", resourceVersion: "107" }, data: { w2: "", odd: "" } } };
const written: readonly { name: string; does: Write["do"]; answer: Answer; expect: object }[] = [
  { name: "an object with its version", does: "update", answer: answered, expect: { kind: "ok", revision: 7, value: "odd w2" } },
  { name: "a deletion, whose revision is not in the answer", does: "delete", answer: status(200, ""), expect: { kind: "ok" } },
];
for (const { name, does, answer, expect } of written) test(name, () => assert.deepEqual(writeOutcome(answer, does, 100), expect));

test("a value is the same when it is stored and read", () => {
  const { metadata, data } = objectOf("a", "odd w1", { bytes: 2 }, "5") as { metadata: object; data: Record<string, string> };
  assert.deepEqual(metadata, { name: "a", labels: { odd: "true" }, resourceVersion: "5" });
  assert.equal(storedValue({ metadata: { name: "a", resourceVersion: "5" }, data }), "odd w1");
});

test("a JSON patch relies on the token that was seen", () => {
  const [, patch] = patchOf({ how: "json", name: "a", token: "w2", padding: { bytes: 0 }, seen: "w1" });
  assert.deepEqual(patch, [
    { op: "test", path: "/data/w1", value: "" },
    { op: "add", path: "/data/w2", value: "" },
  ]);
});
