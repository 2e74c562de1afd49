import type { Chunks, Sink } from "../contracts/http.ts";

/**
 * Writes chunks as fast as the client reads. The answer is opened when the first chunk is there, so that an error in
 * making it can still become a Status; a later one ends the answer as incomplete.
 */
export function pump(chunks: Chunks, open: () => Sink): void {
  const iterator = chunks[Symbol.iterator]();
  const first = iterator.next();
  const sink = open();
  if (first.done === true) {
    sink.end();
    return;
  }
  let chunk = first.value;
  let sent: Uint8Array | undefined;
  const step = (): void => {
    try {
      if (sink.closed) {
        iterator.return?.();
        return;
      }
      const free = sink.buffered === 0 ? sent : undefined;
      sent = chunk;
      const more = sink.write(sent);
      const next = iterator.next(free);
      if (next.done === true) {
        sink.end();
        return;
      }
      chunk = next.value;
      // However fast the client reads, others have their turn between two chunks.
      if (more) setImmediate(step);
      else void sink.drained().then(step);
    } catch {
      sink.abort();
    }
  };
  step();
}
