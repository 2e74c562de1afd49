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
    if (this.sink.closed) return;
    if (this.sink.buffered > (this.sink.maxBuffered ?? maxBuffered)) this.sink.abort();
    else this.sink.write(bytes);
  }
}
