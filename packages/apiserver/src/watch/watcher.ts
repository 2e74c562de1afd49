import type { Sink } from "../contracts/http.ts";

/** A client that lets more than this pile up unread is cut off: it will list again. Bytes; a sink may say otherwise. */
const maxBuffered = 4 * 1024 * 1024;

/** One client's stream. */
export class Watcher {
  readonly sink: Sink;
  readonly bookmarks: boolean;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  nextBookmark: number;
  /** Whether the last write was the most that the sink takes gladly. */
  #isSlow = false;

  constructor(sink: Sink, options: { readonly bookmarks: boolean; readonly deadline: number; readonly nextBookmark: number }) {
    this.sink = sink;
    this.bookmarks = options.bookmarks;
    this.deadline = options.deadline;
    this.nextBookmark = options.nextBookmark;
  }

  /** Ends the stream, after a last event where there is one that says why. */
  fail(event: Uint8Array | undefined): void {
    if (this.sink.closed) return;
    if (event === undefined) {
      this.sink.abort();
      return;
    }
    this.sink.write(event);
    this.sink.end();
  }

  push(bytes: Uint8Array): void {
    if (this.#isSlow && !this.#keepsUp()) return;
    this.#isSlow = !this.sink.write(bytes);
  }

  /** Looked at only when there is reason to: with thousands of watches it costs as much as the event. */
  #keepsUp(): boolean {
    if (this.sink.closed) return false;
    if (this.sink.buffered <= (this.sink.maxBuffered ?? maxBuffered)) return true;
    this.sink.abort();
    return false;
  }
}
