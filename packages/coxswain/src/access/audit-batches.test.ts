import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { AuditBatchSettings, AuditTruncateSettings } from "../options/audit-options.ts";
import { blockingBackend, truncatingBackend } from "./audit-backend.ts";
import { AuditBatches } from "./audit-batches.ts";
import { eventListJson, webhookDelivery } from "./audit-webhook.ts";

const settings: AuditBatchSettings = { bufferSize: 4, maxSize: 2, maxWaitMs: 1_000, throttle: undefined };

function startBatches(
  overrides: Partial<AuditBatchSettings> & { readonly truncate?: AuditTruncateSettings } = {},
  deliver: (events: readonly string[]) => Promise<void> = async () => {},
) {
  const clock = new ManualClock();
  const delivered: (readonly string[])[] = [];
  const lost: string[] = [];
  const delivery = {
    name: "webhook" as const,
    deliver: (events: readonly string[]) => {
      delivered.push(events);
      return deliver(events);
    },
  };
  const onLost = (plugin: string, events: number): void => void lost.push(`${plugin} ${events}`);
  const { truncate, ...changed } = overrides;
  const batches = new AuditBatches(delivery, { ...settings, ...changed }, { clock, onLost, truncate });
  return { batches, clock, delivered, lost };
}

test("a batch goes when it is full, and what is left after its time", async () => {
  const { batches, clock, delivered } = startBatches();
  for (const event of ["1", "2", "3"]) batches.process(event);
  await clock.advance(0);
  assert.deepEqual(delivered, [["1", "2"]]);
  await clock.advance(999);
  assert.equal(delivered.length, 1);
  await clock.advance(1);
  assert.deepEqual(delivered, [["1", "2"], ["3"]]);
});

test("a batch that is too large is sent in parts, and an event in one", async () => {
  const truncate = { maxEventSize: 100, maxBatchSize: 6 };
  const { batches, clock, delivered } = startBatches({ bufferSize: 10, maxSize: 5, truncate });
  for (const event of ["éé", "ab", "c", "longer than all", "d"]) batches.process(event);
  await clock.advance(0);
  assert.deepEqual(delivered, [["éé", "ab"], ["c"], ["longer than all"], ["d"]]);
});

test("what the buffer has no room for is lost and counted, and nobody waits", async () => {
  const { batches, clock, delivered, lost } = startBatches();
  for (const event of ["1", "2", "3", "4", "5"]) assert.equal(batches.process(event), true);
  assert.deepEqual(lost, ["buffered 1"]);
  await clock.advance(0);
  assert.deepEqual(delivered, [
    ["1", "2"],
    ["3", "4"],
  ]);
});

test("batches beyond the burst wait for their share", async () => {
  const { batches, clock, delivered } = startBatches({ maxSize: 1, throttle: { qps: 2, burst: 1 } });
  for (const event of ["1", "2", "3"]) batches.process(event);
  await clock.advance(0);
  assert.deepEqual(delivered, [["1"]]);
  await clock.advance(500);
  assert.deepEqual(delivered, [["1"], ["2"]]);
});

test("at the end all that is left is delivered, what comes then is lost", async () => {
  const { batches, delivered, lost } = startBatches();
  for (const event of ["1", "2", "3"]) batches.process(event);
  await batches[Symbol.asyncDispose]();
  assert.deepEqual(delivered, [["1", "2"], ["3"]]);
  batches.process("4");
  assert.deepEqual(lost, ["buffered 1"]);
});

test("a batch that cannot be delivered is counted by its events", async () => {
  const { batches, lost } = startBatches({}, () => Promise.reject(new Error("gone")));
  for (const event of ["1", "2"]) batches.process(event);
  await batches[Symbol.asyncDispose]();
  assert.deepEqual(lost, ["webhook 2"]);
});

const event = (level: string, size: number): string =>
  `${JSON.stringify({ kind: "Event", apiVersion: "audit.k8s.io/v1", level, requestObject: "x".repeat(size) })}\n`;

test("an event that is too large goes without what was sent, or not at all", () => {
  const kept: string[] = [];
  const lost: string[] = [];
  const backend = { process: (line: string) => kept.push(line) > 0, [Symbol.asyncDispose]: async () => undefined };
  const limits = { maxEventSize: 200, maxBatchSize: 1_000 };
  const sink = truncatingBackend(backend, limits, (plugin, events) => void lost.push(`${plugin} ${events}`));
  for (const line of [event("Request", 10), event("Request", 500), event("Metadata", 500)]) sink.process(line, "ResponseComplete");
  assert.deepEqual(lost, ["truncate 1"]);
  assert.equal(kept.length, 2);
  const shorter = { kind: "Event", apiVersion: "audit.k8s.io/v1", level: "Request", annotations: { "audit.k8s.io/truncated": "true" } };
  assert.deepEqual(JSON.parse(kept[1] ?? ""), shorter);
});

test("a list says what its events are once", () => {
  const { kind: _kind, apiVersion: _version, ...item } = JSON.parse(event("Request", 3));
  const list = { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items: [item, item] };
  assert.deepEqual(JSON.parse(eventListJson([event("Request", 3), event("Request", 3)])), list);
});

test("a webhook is asked five times, with longer and longer pauses", async () => {
  const clock = new ManualClock();
  let posts = 0;
  const webhook = { post: async () => ({ status: posts++ < 0 ? 200 : 503, body: new Uint8Array(), retryAfter: undefined }) };
  const { signal } = new AbortController();
  const delivery = webhookDelivery(webhook, { clock, random: { next: () => 0 }, initialBackoffMs: 10_000, signal });
  const outcome = assert.rejects(async () => delivery.deliver([event("Metadata", 1)]), /the webhook answered 503/);
  const seen: number[] = [];
  for (const pauseMs of [0, 10_000, 15_000, 22_500, 33_750]) {
    await clock.advance(pauseMs);
    await quiescence({ clock, observe: () => posts });
    seen.push(posts);
  }
  await outcome;
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});

for (const { mode, stage, kept } of [
  { mode: "blocking", stage: "RequestReceived", kept: true },
  { mode: "blocking-strict", stage: "RequestReceived", kept: false },
  { mode: "blocking-strict", stage: "ResponseComplete", kept: true },
] as const) {
  test(`${mode}: a request whose event fails at ${stage} ${kept ? "goes on" : "fails"}`, async () => {
    const lost: string[] = [];
    const onLost = (plugin: string, events: number): void => void lost.push(`${plugin} ${events}`);
    const failing = { name: "webhook" as const, deliver: () => Promise.reject(new Error("gone")) };
    assert.equal(await blockingBackend(failing, mode, onLost).process("1", stage), kept);
    assert.deepEqual(lost, ["webhook 1"]);
  });
}
