import { badRequest, tooLarge, tooManyRequests } from "@coxswain/machinery";
import type { Reply, UnreadBody } from "../../contracts/http.ts";
import { maxBodyBytes } from "../../http/exchange.ts";
import { type BodyMemory, BodyRoom } from "../body-memory.ts";
import type { Next, PipelineExchange, Stage } from "../stage.ts";

/**
 * Reads what the client sends: only now that it may do what it asks for, and as far as bodies under way leave room.
 * @throws tooManyRequests(), tooLarge()
 */
export const requestBody = ({ memory }: { readonly memory: BodyMemory }): Stage => ({
  name: "request body",
  wrap: (next) => (exchange) => (exchange.unread === undefined ? next(exchange) : read(memory, exchange, exchange.unread, next)),
});

async function read(memory: BodyMemory, exchange: PipelineExchange, unread: UnreadBody, next: Next): Promise<Reply> {
  const { announced = 0 } = unread;
  if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const room = new BodyRoom(memory, exchange.user.name);
  try {
    if (!room.take(announced)) throw noRoom();
    let come = 0;
    const body = await unread.read(maxBodyBytes, (bytes) => {
      come += bytes;
      // What was not announced takes room as it comes.
      return come <= room.taken || room.take(come - room.taken);
    });
    if (body === "too large") throw tooLarge(maxBodyBytes);
    if (body === "no room") throw noRoom();
    if (body === "aborted") throw badRequest("unexpected EOF");
    exchange.body = body;
    exchange.unread = undefined;
    return await next(exchange);
  } finally {
    room.release();
  }
}

const noRoom = (): Error => tooManyRequests("Too many requests, please try again later.", 1);
