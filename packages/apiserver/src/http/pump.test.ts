import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chunks, Sink } from "../contracts/http.ts";
import { pump } from "./pump.ts";

/** Takes what is written, and hands it on when it is told to. */
class ManualSink implements Sink {
  readonly written: Uint8Array[] = [];
  buffered = 0;
  ended = false;
  closed = false;
  #wake: (() => void) | undefined;

  write(chunk: Uint8Array): boolean {
    this.written.push(chunk);
    this.buffered += chunk.byteLength;
    return false;
  }

  end(): void {
    this.ended = true;
  }

  abort(): void {
    this.closed = true;
  }

  onClose(): void {}

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async drain(left: number): Promise<void> {
    this.buffered = left;
    this.#wake?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function* noting(count: number, freed: (Uint8Array | undefined)[]): Generator<Uint8Array, void, Uint8Array | undefined> {
  for (let i = 0; i < count; i++) freed.push(yield Uint8Array.of(i));
}

test("a chunk is given back once it is sent, and none that may not be", async () => {
  const sink = new ManualSink();
  const freed: (Uint8Array | undefined)[] = [];
  pump(noting(4, freed), () => sink);
  await sink.drain(0);
  await sink.drain(1);
  await sink.drain(0);
  assert.deepEqual(freed, [undefined, Uint8Array.of(0), undefined, Uint8Array.of(2)]);
  assert.deepEqual(sink.written, [Uint8Array.of(0), Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
  assert.equal(sink.ended, true);
});

test("who has gone is made no further chunk", async () => {
  const sink = new ManualSink();
  let returned = 0;
  const chunks: Chunks = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: new Uint8Array(1) }),
      return: () => {
        returned++;
        return { done: true, value: undefined };
      },
    }),
  };
  pump(chunks, () => sink);
  sink.closed = true;
  await sink.drain(0);
  assert.deepEqual([sink.written.length, returned], [1, 1]);
});
