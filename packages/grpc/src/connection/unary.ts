/** A call with one message for one. */
import type { Clock } from "@coxswain/machinery";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import { MessageFrames } from "../messages/message-frames.ts";
import type { UnaryMethod } from "../messages/methods.ts";
import { decoded } from "./answers.ts";
import type { Deadlines, Expiring } from "./deadlines.ts";
import { type CallHeaders, Exchange, type ExchangeReader } from "./exchange.ts";
import type { Session, Sessions } from "./session.ts";

/** What the calls of a connection share. */
export interface UnaryParts {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly maxReceiveBytes: number;
}

export interface UnaryOptions {
  readonly headers: CallHeaders;
  readonly signal: AbortSignal | undefined;
  /** 0 is for ever. */
  readonly timeoutMs: number;
}

/** To be run once. */
export class UnaryCall<Request, Response> implements Expiring, ExchangeReader {
  readonly deadline: number;
  readonly #parts: UnaryParts;
  readonly #method: UnaryMethod<Request, Response>;
  readonly #request: Request;
  readonly #options: UnaryOptions;
  readonly #onAbort: (() => void) | undefined;
  readonly #frames: MessageFrames;
  #resolve: (answer: Response) => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;
  #message: Buffer | undefined;
  #hasMore = false;
  #exchange: Exchange | undefined;
  #isOver = false;

  constructor(parts: UnaryParts, method: UnaryMethod<Request, Response>, request: Request, options: UnaryOptions) {
    const { signal, timeoutMs } = options;
    this.#parts = parts;
    this.#method = method;
    this.#request = request;
    this.#options = options;
    this.#frames = new MessageFrames(parts.maxReceiveBytes);
    this.deadline = timeoutMs === 0 ? Number.POSITIVE_INFINITY : parts.clock.monotonic() + timeoutMs;
    this.#onAbort = signal === undefined ? undefined : () => this.#fail(signal.reason);
  }

  /** @throws GrpcError, and the signal's reason */
  run(): Promise<Response> {
    const { signal } = this.#options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#begin();
    });
  }

  expire(): void {
    this.#fail(new GrpcError(grpcCodes.DeadlineExceeded, "context deadline exceeded"));
  }

  data(piece: Buffer): void {
    try {
      for (const message of this.#frames.push(piece)) {
        if (this.#message === undefined) this.#message = message;
        else this.#hasMore = true;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What was read till then is mostly all. */
  ending(): void {
    if (this.#message !== undefined && !this.#frames.isPartial) this.closed();
  }

  closed(): void {
    if (this.#isOver) return;
    try {
      const answer = this.#answer();
      this.#end();
      this.#resolve(answer);
    } catch (error) {
      this.#end();
      this.#reject(error);
    }
  }

  #begin(): void {
    const { sessions, deadlines } = this.#parts;
    const { signal, timeoutMs } = this.#options;
    if (timeoutMs > 0) deadlines.add(this, timeoutMs);
    if (this.#onAbort !== undefined) signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (sessions.ready !== undefined) this.#start(sessions.ready);
    else
      sessions.open().then(
        (session) => this.#start(session),
        (error: unknown) => this.#fail(error),
      );
  }

  #start(session: Session): void {
    if (this.#isOver) return;
    try {
      const exchange = new Exchange(session, this.#options.headers);
      this.#exchange = exchange;
      exchange.read(this);
      exchange.finish(this.#method.request.frame(this.#request));
    } catch (error) {
      this.#fail(error);
    }
  }

  #answer(): Response {
    const failure = this.#exchange?.failure();
    if (failure !== undefined) throw failure;
    if (this.#message === undefined || this.#hasMore || this.#frames.isPartial) throw wrongNumber(!this.#hasMore);
    return decoded(this.#method.response, this.#message);
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#reject(reason);
    this.#exchange?.cancel();
  }

  #end(): void {
    const { signal, timeoutMs } = this.#options;
    this.#isOver = true;
    if (timeoutMs > 0) this.#parts.deadlines.remove(this, timeoutMs);
    if (this.#onAbort !== undefined) signal?.removeEventListener("abort", this.#onAbort);
  }
}

const wrongNumber = (isTooFew: boolean): GrpcError =>
  new GrpcError(
    grpcCodes.Internal,
    isTooFew
      ? "cardinality violation: received no response message from non-server-streaming RPC"
      : "cardinality violation: expected <EOF> for non server-streaming RPCs, but received another message",
  );
