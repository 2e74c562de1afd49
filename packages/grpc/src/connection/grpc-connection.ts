/** Calls of a server's methods, on a connection that is made with the first and again after it was lost. */
import type { Clock } from "@coxswain/machinery";
import type { GrpcMethod, UnaryMethod } from "../messages/methods.ts";
import { eachMessage, messagesOf } from "./answers.ts";
import { Deadlines } from "./deadlines.ts";
import { type CallHeaders, Exchange, headersOf } from "./exchange.ts";
import type { Keepalive } from "./keepalive.ts";
import { authorityOf, type GrpcAddress, Sessions, schemeOf } from "./session.ts";
import { UnaryCall } from "./unary.ts";

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
  /** Headers of the call, as `authorization` and `hasleader`; lower-case names. The same object for many calls is prepared once. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A call with messages both ways. What comes is read by one of the two ways. */
export interface GrpcExchange<Request = object, Response = object> {
  /** What is sent after the end goes nowhere. */
  readonly send: (request: Request) => void;
  /** Ends with the call's signal. Throws GrpcError. */
  readonly responses: AsyncGenerator<Response, void, undefined>;
  /**
   * Calls `take` with each response in the turn in which it comes, and resolves as `responses` ends. Rejects with GrpcError, or with what
   * `take` has thrown, which ends the exchange. To be called as soon as the exchange is there.
   */
  readonly each: (take: (response: Response) => void) => Promise<void>;
}

/** Each failure is a GrpcError. A server that is not there is reported at once, and looked for again by the next call. */
export interface GrpcConnection extends Disposable {
  /** Once it is connected. */
  ready(): Promise<void>;
  /** Whether that is so now. */
  readonly isReady: boolean;
  /** One message for one. */
  call<Request, Response>(method: UnaryMethod<Request, Response>, request: Request, call?: GrpcCall): Promise<Response>;
  /** Any number of messages for one; ends with the signal. */
  stream(method: GrpcMethod, request: object, signal: AbortSignal): AsyncGenerator<object, void, undefined>;
  /** Any number of messages both ways; ends with the signal, or when its responses are left. */
  exchange<Request, Response>(
    method: UnaryMethod<Request, Response>,
    call: Pick<GrpcCall, "metadata"> & { readonly signal: AbortSignal },
  ): Promise<GrpcExchange<Request, Response>>;
}

/** Does not connect yet: `ready` and the first call do. */
export function connectGrpc(options: GrpcOptions): GrpcConnection {
  const { address, clock, maxReceiveBytes = 4 << 20, keepalive } = options;
  const sessions = new Sessions({ address, clock, keepalive });
  const deadlines = new Deadlines(clock);
  const parts = { sessions, clock, deadlines, maxReceiveBytes };
  const prepared = preparedHeaders(options);
  return {
    ready: async () => void (await sessions.open()),
    get isReady() {
      return sessions.ready !== undefined;
    },
    stream,
    call: (method, request, { metadata = none, signal, timeoutMs = 0 } = {}) =>
      new UnaryCall(parts, method, request, { headers: prepared(method.path, metadata), signal, timeoutMs }).run(),
    async exchange(method, { signal, metadata = none }) {
      signal.throwIfAborted();
      const exchange = new Exchange(await sessions.open(), prepared(method.path, metadata));
      cancelWith(signal, exchange);
      return {
        send: (request) => exchange.send(method.request.frame(request)),
        responses: untilAborted(exchange, method.response, signal),
        each: (take) =>
          eachMessage(exchange, method.response, { maxBytes: maxReceiveBytes, take }).catch((error: unknown) => {
            if (!signal.aborted) throw error;
          }),
      };
    },
    [Symbol.dispose]() {
      deadlines[Symbol.dispose]();
      sessions[Symbol.dispose]();
    },
  };

  async function* stream(method: GrpcMethod, request: object, signal: AbortSignal): AsyncGenerator<object, void, undefined> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const session = await Promise.race([sessions.open(), aborted.promise]);
      if (session === undefined) return;
      const message = method.request.frame(request);
      const exchange = new Exchange(session, prepared(method.path, none));
      exchange.finish(message);
      cancelWith(signal, exchange);
      yield* untilAborted(exchange, method.response, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async function* untilAborted<Message>(
    exchange: Exchange,
    decoder: { decode(bytes: Uint8Array): Message },
    signal: AbortSignal,
  ): AsyncGenerator<Message, void, undefined> {
    try {
      yield* messagesOf(exchange, decoder, maxReceiveBytes);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      exchange.cancel();
    }
  }
}

type Metadata = NonNullable<GrpcCall["metadata"]>;

const none: Metadata = {};

/** The headers of calls, which mostly are those of an earlier one. */
function preparedHeaders({ address, userAgent = "coxswain" }: GrpcOptions): (path: string, metadata: Metadata) => CallHeaders {
  const [authority, scheme] = [authorityOf(address), schemeOf(address)];
  const byMetadata = new WeakMap<Metadata, Map<string, CallHeaders>>();
  return (path, metadata) => {
    let byPath = byMetadata.get(metadata);
    if (byPath === undefined) {
      byPath = new Map();
      byMetadata.set(metadata, byPath);
    }
    let headers = byPath.get(path);
    if (headers === undefined) {
      headers = headersOf({ path, scheme, authority, metadata: { "user-agent": userAgent, ...metadata } });
      byPath.set(path, headers);
    }
    return headers;
  };
}

/** For as long as the exchange is there. */
function cancelWith(signal: AbortSignal, exchange: Exchange): void {
  const cancel = (): void => exchange.cancel();
  if (signal.aborted) {
    cancel();
    return;
  }
  signal.addEventListener("abort", cancel, { once: true });
  exchange.stream.once("close", () => signal.removeEventListener("abort", cancel));
}
