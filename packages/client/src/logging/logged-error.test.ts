import assert from "node:assert/strict";
import { test } from "node:test";
import { failure } from "@coxswain/machinery";
import { ConnectionError } from "../transport/transport.ts";
import { isWorthLogging, loggedError } from "./logged-error.ts";

const mistake = new TypeError("x is not a function");
const wrapped = new Error("unable to delete pods", { cause: mistake });
const cases: readonly [name: string, error: unknown, expect: unknown][] = [
  ["an answer is logged by its message", failure(409, "Conflict", "somebody else was quicker", {}), "somebody else was quicker"],
  ["a cause is logged with it", new ConnectionError("the POST was lost", { cause: new Error("reset") }), "the POST was lost: reset"],
  ["a cause that the message has is not repeated", new Error("failed: reset", { cause: new Error("reset") }), "failed: reset"],
  ["a mistake is logged with its stack", mistake, mistake],
  ["a mistake behind something else too", wrapped, wrapped],
  ["what is no error is logged as it is", "enough", "enough"],
];
for (const [name, error, expect] of cases) test(name, () => assert.equal(loggedError(error), expect));

test("of failures in a row ever fewer are logged", () => {
  const logged = Array.from({ length: 100 }, (_, i) => i + 1).filter(isWorthLogging);
  assert.deepEqual(logged, [1, 2, 4, 8, 16, 32, 64]);
});
