/** Runs requests through the stages of a server. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import { anonymous } from "../authentication/authenticator.ts";
import type { HttpHandler, HttpRequest, Reply } from "../contracts/http.ts";
import { parseQuery } from "../request/options.ts";
import { type Next, notParsed, type PipelineExchange, type Stage } from "./stage.ts";

export interface PipelineOptions {
  /** The first sees a request first, and its answer last. */
  readonly stages: readonly Stage[];
  /** Answers what has come through all stages. */
  readonly dispatch: Next;
  readonly clock: Pick<Clock, "monotonic">;
  readonly random: Pick<RandomSource, "uuid">;
}

const empty = new Uint8Array(0);

/** Rejects with errors that no stage makes an answer of. */
export function createPipeline({ stages, dispatch, clock, random }: PipelineOptions): HttpHandler {
  const serve = stages.reduceRight<Next>((next, stage) => stage.wrap?.(next) ?? next, dispatch);
  const lastFirst = stages.toReversed();
  const recovering = lastFirst.filter(({ recover }) => recover !== undefined);
  const finishing = lastFirst.filter(({ finish }) => finish !== undefined);
  return async (request, body) => {
    const exchange: PipelineExchange = {
      request,
      query: parseQuery(request.query),
      body: body instanceof Uint8Array ? body : empty,
      unread: body instanceof Uint8Array ? undefined : body,
      info: notParsed,
      history: undefined,
      user: anonymous,
      requestId: requestIdOf(request) ?? random.uuid(),
      warnings: [],
      audit: undefined,
      reauthenticate: undefined,
      flow: undefined,
      startedAt: clock.monotonic(),
    };
    let reply: Reply;
    try {
      reply = await serve(exchange);
    } catch (error) {
      reply = await recovered(recovering, error, exchange);
    }
    for (const stage of finishing) reply = stage.finish?.(exchange, reply) ?? reply;
    return reply;
  };
}

async function recovered(stages: readonly Stage[], error: unknown, exchange: PipelineExchange): Promise<Reply> {
  let failure = error;
  for (const stage of stages) {
    try {
      const reply = stage.recover?.(failure, exchange);
      if (reply !== undefined) return await reply;
    } catch (next) {
      failure = next;
    }
  }
  throw failure;
}

const maxRequestIdLength = 64;

/** A client that forwards a request passes on its id. One that is too long to keep is not taken. */
function requestIdOf({ headers }: HttpRequest): string | undefined {
  const given = headers["audit-id"];
  return typeof given === "string" && given !== "" && given.length <= maxRequestIdLength ? given : undefined;
}
