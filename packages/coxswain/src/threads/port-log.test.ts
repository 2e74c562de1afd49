import assert from "node:assert/strict";
import { test } from "node:test";
import { notFound } from "@coxswain/machinery";
import { pino } from "pino";
import type { LogOptions } from "../options/log-options.ts";
import { fieldsFromPort } from "./logged-fields.ts";
import { portLog } from "./port-log.ts";
import type { FromAnyThread } from "./worker-thread.ts";

/** What a log writes of fields, without the time. */
function written(fields: object): unknown {
  const lines: string[] = [];
  const settings = { base: null, timestamp: false, serializers: { error: pino.stdSerializers.err } };
  pino(settings, { write: (line) => void lines.push(line) }).error(fields, "m");
  return JSON.parse(lines.join(""));
}

/** What arrives of it at the server's thread. */
function overPort(fields: object, least: LogOptions["logLevel"] = "info"): readonly Extract<FromAnyThread, { kind: "log" }>[] {
  const messages: FromAnyThread[] = [];
  const log = portLog(least, (message) => messages.push(structuredClone(message)));
  log.debug(fields, "m");
  log.error(fields, "m");
  return messages.filter((message) => message.kind === "log");
}

const cases = [
  { name: "texts, numbers and lists", fields: { component: "scheduler", times: 3, names: ["a", "b"], none: undefined } },
  { name: "an error of a class of its own", fields: { error: notFound({ group: "apps", resource: "deployments" }, "web") } },
  {
    name: "an error with a code and a cause",
    fields: { error: new TypeError("failed", { cause: Object.assign(new Error("no"), { code: "E" }) }) },
  },
  { name: "what is no error", fields: { error: "a text", other: { deep: { x: 1 } } } },
];
for (const { name, fields } of cases)
  test(`the log of a thread shows ${name} as the server's does`, () => {
    const [message] = overPort(fields);
    assert.deepEqual(written(fieldsFromPort(message?.fields ?? {})), written(fields));
  });

test("what cannot be sent is logged as far as it can be", () => {
  const circular: Record<string, unknown> = { name: "x" };
  circular.self = circular;
  const [message] = overPort({ circular, act: () => undefined });
  assert.deepEqual(fieldsFromPort(message?.fields ?? {}), { circular: "[object Object]", act: undefined });
});

test("what the log does not show is not sent", () => {
  assert.deepEqual(
    overPort({}).map(({ level }) => level),
    ["error"],
  );
  assert.deepEqual(
    overPort({}, "debug").map(({ level }) => level),
    ["debug", "error"],
  );
  assert.deepEqual(overPort({}, "silent"), []);
});
