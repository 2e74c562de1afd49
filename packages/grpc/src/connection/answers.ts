/** What comes back on an exchange. */
import { once } from "node:events";
import { DecodeError } from "@coxswain/machinery";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import type { MessageCodec } from "../messages/message-codec.ts";
import { MessageFrames } from "../messages/message-frames.ts";
import type { Exchange } from "./exchange.ts";

/** Of a call that is answered once. */
export function answerOf(exchange: Exchange, codec: MessageCodec, maxBytes: number): Promise<object> {
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

export async function* messagesOf(exchange: Exchange, codec: MessageCodec, maxBytes: number): AsyncGenerator<object, void, undefined> {
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
