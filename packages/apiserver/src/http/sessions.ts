/** The HTTP/2 connections that are open; those that are idle are closed. */
import type { Http2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Clock, Timer } from "@coxswain/machinery";

interface Use {
  /** A session that was asked to close only waits for its peer. Destroying the socket waits for nothing. */
  readonly socket: Socket;
  streams: number;
  /** Monotonic milliseconds. */
  idleSince: number;
  closing: boolean;
}

export class Sessions {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #open = new Map<Http2Session, Use>();
  #sweep: Timer | undefined;

  constructor(clock: Clock, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  add(session: Http2Session, socket: Socket): void {
    this.#open.set(session, { socket, streams: 0, idleSince: this.#clock.monotonic(), closing: false });
    session.on("error", () => session.destroy());
    session.once("close", () => this.#open.delete(session));
    this.#schedule();
  }

  /** Counts a stream until it closes. */
  use(stream: ServerHttp2Stream): void {
    const use = stream.session === undefined ? undefined : this.#open.get(stream.session);
    if (use === undefined) return;
    use.streams++;
    stream.once("close", () => {
      if (--use.streams === 0) use.idleSince = this.#clock.monotonic();
    });
  }

  /** Takes no more streams; ends once those that are open do. */
  close(): void {
    for (const session of this.#open.keys()) session.close();
  }

  destroy(which: "idle" | "all"): void {
    for (const { streams, socket } of this.#open.values()) if (which === "all" || streams === 0) socket.destroy();
  }

  #schedule(): void {
    if (this.#sweep !== undefined) return;
    this.#sweep = this.#clock.schedule(this.#idleMs / 2, () => {
      this.#sweep = undefined;
      this.#closeIdle(this.#clock.monotonic() - this.#idleMs);
      if (this.#open.size > 0) this.#schedule();
    });
    this.#sweep.unref();
  }

  /** Whoever does not take a hint by the next time is cut off. */
  #closeIdle(before: number): void {
    for (const [session, use] of this.#open) {
      if (use.streams > 0 || use.idleSince > before) continue;
      if (use.closing) use.socket.destroy();
      else session.close();
      use.closing = true;
    }
  }
}
