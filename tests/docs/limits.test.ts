/** The page about limits has the numbers that the code has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/checks/tree.ts";

const page = readFileSync(join(root, "docs/reference/limits.md"), "utf8");

/** Who changes the one changes the other: a row of the page, what it says, and where the code says that. */
const rows: readonly { readonly row: string; readonly says: string; readonly file: string; readonly code: string }[] = [
  { row: "body of a request", says: "3 MiB", file: "apiserver/src/http/exchange.ts", code: "maxBodyBytes = 3 * 1024 * 1024" },
  { row: "nesting of a body", says: "1,000 levels", file: "machinery/src/json/json-reader.ts", code: "maxDepth = 1000" },
  { row: "headers of a request", says: "64 KiB", file: "apiserver/src/http/listener.ts", code: "maxHeaders = 64 * 1024" },
  { row: "concurrent requests of one", says: "1,000", file: "apiserver/src/http/limits.ts", code: "streams: 1_000" },
  {
    row: "of a body that nobody has asked for",
    says: "1 MiB",
    file: "apiserver/src/http/listener.ts",
    code: "setLocalWindowSize(1024 * 1024)",
  },
  {
    row: "of a body that nobody has asked for",
    says: "256 KiB",
    file: "apiserver/src/http/listener.ts",
    code: "initialWindowSize: 256 * 1024",
  },
  { row: "requests that begin", says: "8 ms", file: "apiserver/src/flowcontrol/thread-turns.ts", code: "roundMs = 8" },
  { row: "time until the headers", says: "32 s", file: "apiserver/src/http/limits.ts", code: "headersMs: 32_000" },
  { row: "time until a body", says: "60 s", file: "apiserver/src/http/limits.ts", code: "requestMs: 60_000" },
  { row: "a connection without", says: "90 s", file: "apiserver/src/http/limits.ts", code: "idleMs: 90_000" },
  {
    row: "the `timeout` parameter",
    says: "60 s",
    file: "apiserver/src/contracts/serving-options.ts",
    code: "defaultRequestTimeoutMs = 60_000",
  },
  { row: "requests that are computed", says: "2 at a time", file: "apiserver/src/offload/offloader.ts", code: "maxConcurrent = 2" },
  {
    row: "requests that are computed",
    says: "above 64 KiB",
    file: "apiserver/src/offload/request-cost.ts",
    code: "inlineBytes = 64 * 1024",
  },
  { row: "waiting for a", says: "3 s", file: "apiserver/src/storage/revision.ts", code: "maxWaitMs = 3_000" },
  { row: "conflicts with other writers", says: "34 s", file: "apiserver/src/registry/guaranteed-update.ts", code: "maxWaitMs = 34_000" },
  { row: "history that lists", says: "10 minutes", file: "store/src/engine/change-log.ts", code: "historyMs: 600_000" },
  { row: "history that lists", says: "10,000", file: "store/src/engine/change-log.ts", code: "historyRevisions: 10_000" },
  { row: "history that lists", says: "64 MiB", file: "store/src/engine/change-log.ts", code: "historyBytes: 64 * 1024 * 1024" },
  { row: "what a client of a watch", says: "4 MiB", file: "apiserver/src/watch/watcher.ts", code: "maxBuffered = 4 * 1024 * 1024" },
  { row: "Events (", says: "an hour", file: "apiserver/src/storage/event-ttl.ts", code: "eventTtlSeconds = 3_600" },
  { row: "annotations of one", says: "256 KiB", file: "api/src/validation/metadata/parts.ts", code: "maxAnnotationBytes = 256 * 1024" },
  { row: "data of a Secret", says: "1 MiB", file: "api/src/validation/key-value-data.ts", code: "maxDataBytes = 1024 * 1024" },
  { row: "field managers", says: "10", file: "apply/src/managed-fields/cap-managers.ts", code: "maxUpdaters = 10" },
  { row: "schemas of a", says: "30,000", file: "schema/src/check/limits.ts", code: "maxSchemas = 30_000" },
  { row: "schemas of a", says: "200 levels", file: "schema/src/check/limits.ts", code: "maxDepth = 200" },
  { row: "rules", says: "120,000 characters", file: "schema/src/check/limits.ts", code: "maxRuleText = 120_000" },
  { row: "patterns", says: "30,000", file: "schema/src/check/limits.ts", code: "maxPatternSize = 30_000" },
  { row: "values in defaults", says: "20,000", file: "schema/src/check/limits.ts", code: "maxDefaultValues = 20_000" },
  { row: "time from a signal", says: "5 s", file: "apiserver/src/server/listeners.ts", code: "closeGraceMs = 5_000" },
];

for (const { row, says, file, code } of rows)
  test(`${row}: ${says}`, () => {
    const line = page.split("\n").find((each) => each.startsWith(`| ${row}`)) ?? "";
    assert.ok(line.includes(says), line);
    assert.ok(readFileSync(join(root, "packages", file), "utf8").includes(code), `${code} is not in ${file}`);
  });
