import type { Sink } from "./exchange.ts";

/**
 * Writes chunks as fast as the client reads. The answer is opened when the first chunk is there, so that an error in
 * making it can still become a Status; a later one ends the answer as incomplete.
 */
export function pump(chunks: Iterable<Uint8Array>, open: () => Sink): void {
  const iterator = chunks[Symbol.iterator]();
  const first = iterator.next();
  const sink = open();
  if (first.done === true) {
    sink.end();
    return;
  }
  let next: IteratorResult<Uint8Array> = first;
  const step = (): void => {
    try {
      while (next.done !== true) {
        if (sink.closed) {
          iterator.return?.();
          return;
        }
        const more = sink.write(next.value);
        next = iterator.next();
        if (!more && next.done !== true) {
          void sink.drained().then(step);
          return;
        }
      }
      sink.end();
    } catch {
      sink.abort();
    }
  };
  step();
}
