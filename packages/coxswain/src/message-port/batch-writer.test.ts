import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchWriter } from "./batch-writer.ts";
import type { Batch, Span } from "./frames.ts";

interface Frame {
  readonly id: number;
  readonly body: Span;
}

function recording() {
  const batches: Batch<Frame>[] = [];
  const transfers: number[] = [];
  const port = {
    postMessage: (batch: Batch<Frame>, transfer: readonly ArrayBuffer[]) => {
      batches.push(batch);
      transfers.push(transfer.length);
    },
  };
  return { batches, transfers, writer: new BatchWriter<Frame>(port as never) };
}

const textsOf = ({ frames, bytes }: Batch<Frame>): string[] =>
  frames.map(({ id, body }) => `${id} ${Buffer.from(bytes.subarray(...body)).toString()}`);

test("frames of one turn go as one message, bytes that several have once", async () => {
  const { batches, transfers, writer } = recording();
  const [event, other] = [Buffer.from("event"), Buffer.from("other")];
  for (const [id, bytes] of [event, other, event, event].entries()) writer.write({ id, body: writer.place(bytes) });
  assert.equal(batches.length, 0);
  await Promise.resolve().then(() => writer.write({ id: 4, body: writer.place(other) }));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(batches.flatMap(textsOf), ["0 event", "1 other", "2 event", "3 event", "4 other"]);
  assert.ok(batches.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= 2 * (event.byteLength + other.byteLength));
  assert.deepEqual(new Set(transfers), new Set([1]));
});

test("the next turn begins anew, and what has no bytes hands none over", async () => {
  const { batches, transfers, writer } = recording();
  writer.write({ id: 1, body: writer.place(Buffer.from("a")) });
  await new Promise((resolve) => setImmediate(resolve));
  writer.write({ id: 2, body: writer.place(new Uint8Array(0)) });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(batches.map(textsOf), [["1 a"], ["2 "]]);
  assert.deepEqual(transfers, [1, 0]);
});
