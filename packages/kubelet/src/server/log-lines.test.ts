import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEntry } from "../runtime/container-streams.ts";
import { ServerError } from "./answer.ts";
import { logBytes, parseLogQuery } from "./log-lines.ts";

const entry = (time: string, content: string, more: Partial<LogEntry> = {}): LogEntry => ({
  time,
  stream: "stdout",
  partial: false,
  content: Buffer.from(content),
  ...more,
});

async function shown(query: string, entries: readonly LogEntry[], now = 0): Promise<string> {
  const parts: string[] = [];
  const given = (async function* () {
    yield* entries;
  })();
  for await (const part of logBytes(given, parseLogQuery(new URLSearchParams(query), now))) parts.push(Buffer.from(part).toString());
  return parts.join("");
}

const log = [
  entry("2026-01-02T03:04:05.1Z", "a"),
  entry("2026-01-02T03:04:05.123456789Z", "b", { stream: "stderr" }),
  entry("2026-01-02T05:04:06+01:00", "long", { partial: true }),
  entry("2026-01-02T05:04:06+01:00", " line"),
];

const cases = [
  { query: "", text: "a\nb\nlong line\n" },
  { query: "stream=Stdout", text: "a\nlong line\n" },
  { query: "stream=Stderr", text: "b\n" },
  { query: "stream=All", text: "a\nb\nlong line\n" },
  { query: "sinceTime=2026-01-02T03:04:05.1Z", text: "a\nb\nlong line\n" },
  { query: "sinceTime=2026-01-02T03:04:05.123456789Z", text: "b\nlong line\n" },
  { query: "sinceTime=2026-01-02T04:04:05.2%2B01:00", text: "long line\n" },
  { query: "sinceTime=2026-01-02T03:04:07Z", text: "long line\n" },
  { query: "sinceTime=2026-01-02T04:04:07Z", text: "" },
  { query: "limitBytes=1", text: "a" },
  { query: "limitBytes=8", text: "a\nb\nlong" },
  {
    query: "timestamps=true&stream=Stdout",
    text: "2026-01-02T03:04:05.100000000Z a\n2026-01-02T05:04:06.000000000+01:00 long line\n",
  },
];
for (const { query, text } of cases) test(`?${query}`, async () => assert.equal(await shown(query, log), text));

test("?sinceSeconds counts back from now", async () => {
  const now = Date.parse("2026-01-02T03:04:10Z");
  assert.equal(await shown("sinceSeconds=5", log.slice(0, 2), now), "a\nb\n");
  assert.equal(await shown("sinceSeconds=4", log.slice(0, 2), now), "");
});

const bad = [
  { query: "tailLines=x", status: 400 },
  { query: "sinceTime=yesterday", status: 400 },
  { query: "tailLines=-1", status: 422 },
  { query: "limitBytes=0", status: 422 },
  { query: "sinceSeconds=0", status: 422 },
  { query: "sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z", status: 422 },
  { query: "stream=Both", status: 422 },
];
for (const { query, status } of bad) {
  test(`?${query} is refused`, () => {
    assert.throws(
      () => parseLogQuery(new URLSearchParams(query), 0),
      (error) => error instanceof ServerError && error.status === status,
    );
  });
}
