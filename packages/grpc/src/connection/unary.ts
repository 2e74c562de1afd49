/** A call with one message for one. */
import type { Clock } from "@coxswain/machinery";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import type { GrpcMethod } from "../messages/methods.ts";
import { answerOf } from "./answers.ts";
import type { Exchange } from "./exchange.ts";

export interface UnaryOptions {
  readonly open: () => Promise<Exchange>;
  readonly clock: Clock;
  readonly maxReceiveBytes: number;
  readonly signal?: AbortSignal;
  /** 0, the default, is for ever. */
  readonly timeoutMs?: number;
}

/** @throws GrpcError, and the signal's reason */
export function unary(method: GrpcMethod, request: object, options: UnaryOptions): Promise<object> {
  const { open, clock, maxReceiveBytes, signal, timeoutMs = 0 } = options;
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
  const begin = (opened: Exchange): void => {
    exchange = opened;
    if (isOver) {
      exchange.cancel();
      return;
    }
    exchange.finish(method.request.encode(request));
    answerOf(exchange, method.response, maxReceiveBytes).then((answer) => {
      end();
      resolve(answer);
    }, fail);
  };
  open().then(begin).catch(fail);
  return promise;
}
