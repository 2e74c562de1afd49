/** Calls of a server's methods, on a connection that is made with the first and again after it was lost. */
import { once } from "node:events";
import { type Clock, DecodeError } from "@coxswain/machinery";
import { type Exchange, openExchange } from "./exchange.ts";
import { GrpcError, grpcCodes } from "./grpc-error.ts";
import type { MessageCodec } from "./message-codec.ts";
import { MessageFrames } from "./message-frames.ts";
import type { GrpcMethod } from "./methods.ts";
import { authorityOf, type GrpcAddress, type Session, Sessions } from "./session.ts";

/** Where a server is, and what may come from it. */
export interface GrpcOptions {
  readonly address: GrpcAddress;
  readonly clock: Clock;
  /** Of one message; 4 MiB by default. */
  readonly maxReceiveBytes?: number;
  readonly userAgent?: string;
}

/** What ends a call before its answer. */
export interface GrpcCall {
  /** The call rejects with its reason. */
  readonly signal?: AbortSignal;
  /** On the connection's clock; 0, the default, is for ever. */
  readonly timeoutMs?: number;
}

/** Each failure is a GrpcError. A server that is not there is reported at once, and looked for again by the next call. */
export interface GrpcConnection extends Disposable {
  /** Once it is connected. */
  ready(): Promise<void>;
  /** One message for one. */
  call(method: GrpcMethod, request: object, call?: GrpcCall): Promise<object>;
  /** Any number of messages for one; ends with the signal. */
  stream(method: GrpcMethod, request: object, signal: AbortSignal): AsyncGenerator<object, void, undefined>;
}

/** Does not connect yet: `ready` and the first call do. */
export function connectGrpc({ address, clock, maxReceiveBytes = 4 << 20, userAgent = "coxswain" }: GrpcOptions): GrpcConnection {
  const sessions = new Sessions(address);
  const authority = authorityOf(address);
  const exchangeOf = (session: Session, { path, request: codec }: GrpcMethod, request: object): Exchange =>
    openExchange(session, { path, authority, userAgent, message: codec.encode(request) });
  return {
    ready: async () => void (await sessions.open()),
    stream,
    call(method, request, { signal, timeoutMs = 0 } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<object>();
      if (signal?.aborted) return Promise.reject(signal.reason);
      let exchange: Exchange | undefined;
      let isOver = false;
      const end = (): void => {
        isOver = true;
        timer?.[Symbol.dispose]();
        signal?.removeEventListener("abort", onAbort);
      };
      const fail = (reason: unknown): void => {
        end();
        reject(reason);
        exchange?.cancel();
      };
      const onAbort = (): void => fail(signal?.reason);
      const timer =
        timeoutMs === 0
          ? undefined
          : clock.schedule(timeoutMs, () => fail(new GrpcError(grpcCodes.DeadlineExceeded, "context deadline exceeded")));
      signal?.addEventListener("abort", onAbort, { once: true });
      const begin = (session: Session): void => {
        if (isOver) return;
        exchange = exchangeOf(session, method, request);
        answerOf(exchange, method.response, maxReceiveBytes).then((answer) => {
          end();
          resolve(answer);
        }, fail);
      };
      sessions.open().then(begin).catch(fail);
      return promise;
    },
    [Symbol.dispose]: () => sessions[Symbol.dispose](),
  };

  async function* stream(method: GrpcMethod, request: object, signal: AbortSignal): AsyncGenerator<object, void, undefined> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    let exchange: Exchange | undefined;
    try {
      const session = await Promise.race([sessions.open(), aborted.promise]);
      if (session === undefined) return;
      exchange = exchangeOf(session, method, request);
      const { cancel } = exchange;
      signal.addEventListener("abort", cancel, { once: true });
      try {
        yield* messagesOf(exchange, method.response, maxReceiveBytes);
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      exchange?.cancel();
    }
  }
}

/** Of a call that is answered once. */
function answerOf(exchange: Exchange, codec: MessageCodec, maxBytes: number): Promise<object> {
  const { promise, resolve, reject } = Promise.withResolvers<object>();
  const frames = new MessageFrames(maxBytes);
  const messages: Buffer[] = [];
  exchange.stream.on("data", (piece: Buffer) => {
    try {
      messages.push(...frames.push(piece));
    } catch (error) {
      reject(error);
      exchange.cancel();
    }
  });
  exchange.stream.once("close", () => {
    const failure = exchange.failure();
    if (failure !== undefined) return reject(failure);
    const [message, more] = messages;
    try {
      if (message === undefined || more !== undefined || frames.isPartial) throw wrongNumber(more === undefined);
      resolve(decoded(codec, message));
    } catch (error) {
      reject(error);
    }
  });
  return promise;
}

const wrongNumber = (isTooFew: boolean): GrpcError =>
  new GrpcError(
    grpcCodes.Internal,
    isTooFew
      ? "cardinality violation: received no response message from non-server-streaming RPC"
      : "cardinality violation: expected <EOF> for non server-streaming RPCs, but received another message",
  );

async function* messagesOf(exchange: Exchange, codec: MessageCodec, maxBytes: number): AsyncGenerator<object, void, undefined> {
  const { stream } = exchange;
  const closed = once(stream, "close");
  // What it would reject with, the failure tells.
  closed.catch(() => undefined);
  const frames = new MessageFrames(maxBytes);
  let error: unknown;
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false }))
      for (const message of frames.push(piece)) yield decoded(codec, message);
  } catch (thrown) {
    error = thrown;
  }
  if (error instanceof GrpcError) throw error;
  if (!stream.closed) await closed.catch(() => undefined);
  const failure = exchange.failure() ?? error;
  if (failure !== undefined) throw failure;
  if (frames.isPartial) throw new GrpcError(grpcCodes.Internal, "unexpected EOF");
}

function decoded(codec: MessageCodec, message: Uint8Array): object {
  try {
    return codec.decode(message);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new GrpcError(grpcCodes.Internal, `grpc: failed to unmarshal the received message: ${error.message}`, { cause: error });
  }
}
