import { badRequest, tooLarge, tooManyRequests } from "@coxswain/machinery";
import type { Reply, UnreadBody } from "../../contracts/http.ts";
import { maxBodyBytes } from "../../http/exchange.ts";
import type { BodyMemory } from "../body-memory.ts";
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
  const { announced = maxBodyBytes } = unread;
  if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const { name } = exchange.user;
  if (!memory.reserve(name, announced)) throw tooManyRequests("Too many requests, please try again later.", 1);
  let held = announced;
  try {
    const body = await unread.read(maxBodyBytes);
    if (body === "too large") throw tooLarge(maxBodyBytes);
    if (body === "aborted") throw badRequest("unexpected EOF");
    memory.release(name, held - body.byteLength);
    held = body.byteLength;
    exchange.body = body;
    exchange.unread = undefined;
    return await next(exchange);
  } finally {
    memory.release(name, held);
  }
}
