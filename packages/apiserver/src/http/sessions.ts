/** The HTTP/2 connections that are open; those that are idle are closed. */
import type { Http2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Clock, Timer } from "@coxswain/machinery";

/** How many streams a session has open. */
class Use {
  /** A session that was asked to close only waits for its peer. Destroying the socket waits for nothing. */
  readonly socket: Socket;
  readonly #clock: Clock;
  streams = 0;
  /** Monotonic milliseconds. */
  idleSince: number;
  closing = false;

  constructor(socket: Socket, clock: Clock) {
    this.socket = socket;
    this.#clock = clock;
    this.idleSince = clock.monotonic();
  }

  /** Once for each stream that was counted. */
  endStream(): void {
    if (--this.streams === 0) this.idleSince = this.#clock.monotonic();
  }
}

/** A stream that is counted until it closes. */
export type StreamUse = Pick<Use, "endStream">;

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
    this.#open.set(session, new Use(socket, this.#clock));
    session.on("error", () => session.destroy());
    session.once("close", () => this.#open.delete(session));
    this.#schedule();
  }

  /** Counts a stream until it closes, which whoever serves it is to say. Undefined for a stream whose session has ended. */
  use(stream: ServerHttp2Stream): StreamUse | undefined {
    const use = stream.session === undefined ? undefined : this.#open.get(stream.session);
    if (use !== undefined) use.streams++;
    return use;
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
