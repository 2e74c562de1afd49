import type { Sink } from "../contracts/http.ts";

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
      if (sink.closed) {
        iterator.return?.();
        return;
      }
      const more = sink.write(next.value);
      next = iterator.next();
      if (next.done === true) sink.end();
      // However fast the client reads, others have their turn between two chunks.
      else if (more) setImmediate(step);
      else void sink.drained().then(step);
    } catch {
      sink.abort();
    }
  };
  step();
}
