import assert from "node:assert/strict";
import { test } from "node:test";
import { logText } from "./log-text.ts";

const time = "2026-01-01T00:00:00.000Z";
const at = new Date(time).toTimeString().slice(0, 8);
const error = { type: "Error", message: "no route to host", stack: "Error: no route to host\n    at connect" };
const cases = [
  {
    name: "message and fields",
    record: { level: "info", url: "https://127.0.0.1:1", users: 0, msg: "serving" },
    text: "INFO  serving url=https://127.0.0.1:1 users=0",
  },
  { name: "a text with spaces", record: { level: "warn", why: 'a "b"', msg: "m" }, text: 'WARN  m why="a \\"b\\""' },
  { name: "a text with nothing in it", record: { level: "info", why: "", msg: "m" }, text: 'INFO  m why=""' },
  {
    name: "a list and an object",
    record: { level: "info", names: ["a b"], of: { c: 1 }, msg: "m" },
    text: 'INFO  m names=["a b"] of={"c":1}',
  },
  { name: "no message", record: { level: "debug", n: 1 }, text: "DEBUG n=1" },
  { name: "an error", record: { level: "warn", error, msg: "failed" }, text: 'WARN  failed error="no route to host"' },
  {
    name: "an error with its stack",
    record: { level: "error", error, msg: "failed" },
    withStacks: true,
    text: `ERROR failed error="no route to host"\n${error.stack}`,
  },
];
for (const { name, record, withStacks = false, text } of cases)
  test(`log text: ${name}`, () => assert.equal(logText(JSON.stringify({ ...record, time }), { withStacks }), `${at} ${text}\n`));
