import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import type { Sink } from "../contracts/http.ts";
import { parseRequest } from "../request/request-info.ts";
import { Metrics } from "./metrics.ts";
import { countable, observed } from "./observe.ts";

const registry = createResourceRegistry();

const paths = [
  { path: "/api/v1/namespaces/a/pods/p", counted: "pods" },
  { path: "/api/v1/namespaces/a/pods/p/log", counted: "pods/log" },
  { path: "/api/v1/namespaces/a/pods/p/made-up", counted: "" },
  { path: "/api/v1/made-up", counted: "" },
  { path: "/apis/made.up/v1/pods", counted: "" },
];
for (const { path, counted } of paths) {
  test(`${path} is counted as ${JSON.stringify(counted)}`, () => {
    const info = countable(parseRequest("GET", path, false), "GET", registry);
    const name = info.kind === "path" ? info.path : [info.resource, info.subresource].filter((part) => part !== "").join("/");
    assert.equal(name, counted);
  });
}

test("an answer without an end is under way until its client goes, and counted then", () => {
  const series = new Metrics({ startedAt: 0 }).requests(parseRequest("GET", "/api/v1/pods", true));
  const closing: (() => void)[] = [];
  const sink: Sink = {
    write: () => true,
    end: () => {},
    abort: () => {},
    buffered: 0,
    closed: false,
    onClose: (fn) => void closing.push(fn),
    drained: async () => {},
  };
  const reply = observed(series, { status: 200, contentType: "", body: { kind: "stream", start: () => {} } }, () => 3);
  assert.equal(series.longRunning, 0);
  if (reply.body.kind === "stream") reply.body.start(sink);
  assert.deepEqual([series.longRunning, series.codes.size], [1, 0]);
  for (const fn of closing) fn();
  assert.deepEqual([series.longRunning, series.codes.get(200), series.seconds.sum], [0, 1, 3]);
});
