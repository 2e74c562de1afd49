/** Calls of a server's methods, on a connection that is made with the first and again after it was lost. */
import type { Clock } from "@coxswain/machinery";
import type { GrpcMethod } from "../messages/methods.ts";
import { messagesOf } from "./answers.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import type { Keepalive } from "./keepalive.ts";
import { authorityOf, type GrpcAddress, type Session, Sessions, schemeOf } from "./session.ts";
import { unary } from "./unary.ts";

/** Where a server is, and what may come from it. */
export interface GrpcOptions {
  readonly address: GrpcAddress;
  readonly clock: Clock;
  /** Of one message; 4 MiB by default. */
  readonly maxReceiveBytes?: number;
  readonly userAgent?: string;
  /** By default a server that says nothing is there as long as its connection is. */
  readonly keepalive?: Keepalive;
}

/** What ends a call before its answer. */
export interface GrpcCall {
  /** The call rejects with its reason. */
  readonly signal?: AbortSignal;
  /** On the connection's clock; 0, the default, is for ever. */
  readonly timeoutMs?: number;
  /** Headers of the call, as `authorization` and `hasleader`; lower-case names. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A call with messages both ways. */
export interface GrpcExchange {
  /** What is sent after the end goes nowhere. */
  readonly send: (request: object) => void;
  /** Ends with the call's signal. Throws GrpcError. */
  readonly responses: AsyncGenerator<object, void, undefined>;
}

/** Each failure is a GrpcError. A server that is not there is reported at once, and looked for again by the next call. */
export interface GrpcConnection extends Disposable {
  /** Once it is connected. */
  ready(): Promise<void>;
  /** One message for one. */
  call(method: GrpcMethod, request: object, call?: GrpcCall): Promise<object>;
  /** Any number of messages for one; ends with the signal. */
  stream(method: GrpcMethod, request: object, signal: AbortSignal): AsyncGenerator<object, void, undefined>;
  /** Any number of messages both ways; ends with the signal, or when its responses are left. */
  exchange(method: GrpcMethod, call: Pick<GrpcCall, "metadata"> & { readonly signal: AbortSignal }): Promise<GrpcExchange>;
}

/** Does not connect yet: `ready` and the first call do. */
export function connectGrpc(options: GrpcOptions): GrpcConnection {
  const { address, clock, maxReceiveBytes = 4 << 20, userAgent = "coxswain", keepalive } = options;
  const sessions = new Sessions({ address, clock, keepalive });
  const [authority, scheme] = [authorityOf(address), schemeOf(address)];
  const open = (session: Session, { path }: GrpcMethod, metadata?: GrpcCall["metadata"]): Exchange =>
    openExchange(session, { path, scheme, authority, metadata: { "user-agent": userAgent, ...metadata } });
  return {
    ready: async () => void (await sessions.open()),
    stream,
    call: (method, request, { metadata, ...limits } = {}) =>
      unary(method, request, { ...limits, clock, maxReceiveBytes, open: async () => open(await sessions.open(), method, metadata) }),
    async exchange(method, { signal, metadata }) {
      signal.throwIfAborted();
      const exchange = open(await sessions.open(), method, metadata);
      cancelWith(signal, exchange);
      return {
        send: (request) => exchange.send(method.request.encode(request)),
        responses: untilAborted(exchange, method, signal),
      };
    },
    [Symbol.dispose]: () => sessions[Symbol.dispose](),
  };

  async function* stream(method: GrpcMethod, request: object, signal: AbortSignal): AsyncGenerator<object, void, undefined> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const session = await Promise.race([sessions.open(), aborted.promise]);
      if (session === undefined) return;
      const message = method.request.encode(request);
      const exchange = open(session, method);
      exchange.finish(message);
      cancelWith(signal, exchange);
      yield* untilAborted(exchange, method, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async function* untilAborted(exchange: Exchange, method: GrpcMethod, signal: AbortSignal): AsyncGenerator<object, void, undefined> {
    try {
      yield* messagesOf(exchange, method.response, maxReceiveBytes);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      exchange.cancel();
    }
  }
}

/** For as long as the exchange is there. */
function cancelWith(signal: AbortSignal, { stream, cancel }: Exchange): void {
  if (signal.aborted) {
    cancel();
    return;
  }
  signal.addEventListener("abort", cancel, { once: true });
  stream.once("close", () => signal.removeEventListener("abort", cancel));
}
