/** The messages that come back on an exchange. */
import { once } from "node:events";
import { DecodeError } from "@coxswain/machinery";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import { MessageFrames } from "../messages/message-frames.ts";
import type { Exchange } from "./exchange.ts";

interface Decoder<Message> {
  /** @throws DecodeError */
  decode(bytes: Uint8Array): Message;
}

export async function* messagesOf<Message>(
  exchange: Exchange,
  decoder: Decoder<Message>,
  maxBytes: number,
): AsyncGenerator<Message, void, undefined> {
  const { stream } = exchange;
  const closed = once(stream, "close");
  // What it would reject with, the failure tells.
  closed.catch(() => undefined);
  const frames = new MessageFrames(maxBytes);
  let error: unknown;
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false }))
      for (const message of frames.push(piece)) yield decoded(decoder, message);
  } catch (thrown) {
    error = thrown;
  }
  if (error instanceof GrpcError) throw error;
  if (!stream.closed) await closed.catch(() => undefined);
  const failure = exchange.failure() ?? error;
  if (failure !== undefined) throw failure;
  if (frames.isPartial) throw new GrpcError(grpcCodes.Internal, "unexpected EOF");
}

/** The same without a promise for each: `take` is called in the turn in which a message comes. What it throws ends the exchange. */
export function eachMessage<Message>(
  exchange: Exchange,
  decoder: Decoder<Message>,
  { maxBytes, take }: { readonly maxBytes: number; readonly take: (message: Message) => void },
): Promise<void> {
  const frames = new MessageFrames(maxBytes);
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (error: unknown): void => {
      isOver = true;
      if (error === undefined) resolve();
      else reject(error);
    };
    exchange.read({
      data(piece) {
        if (isOver) return;
        try {
          for (const message of frames.push(piece)) take(decoded(decoder, message));
        } catch (error) {
          end(error);
          exchange.cancel();
        }
      },
      closed: () => end(exchange.failure() ?? (frames.isPartial ? new GrpcError(grpcCodes.Internal, "unexpected EOF") : undefined)),
    });
  });
}

/** @throws GrpcError in place of DecodeError */
export function decoded<Message>(decoder: Decoder<Message>, message: Uint8Array): Message {
  try {
    return decoder.decode(message);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new GrpcError(grpcCodes.Internal, `grpc: failed to unmarshal the received message: ${error.message}`, { cause: error });
  }
}
