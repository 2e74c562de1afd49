/**
 * Requests take turns before they are authorized.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
import type { Flow, FlowControl } from "../../contracts/flow-control.ts";
import type { Body, Chunks, Reply } from "../../contracts/http.ts";
import { textReply } from "../../http/exchange.ts";
import { isLongRunning } from "../../request/long-running.ts";
import type { PipelineExchange, Stage } from "../stage.ts";

export const flowControl = ({ flows }: { readonly flows: FlowControl }): Stage => ({
  name: "flow control",
  wrap: (next) => (exchange) => {
    const { info } = exchange;
    if (isLongRunning(info) && info.verb !== "watch") return next(exchange);
    const flow = flows.begin(exchange);
    exchange.flow = flow;
    const { mayRun } = flow;
    if (mayRun === true) return next(exchange);
    if (mayRun === false) return refuse(flow);
    return mayRun.then((may) => (may ? next(exchange) : refuse(flow)));
  },
  finish(exchange, reply) {
    const { flow } = exchange;
    if (flow === undefined) return reply;
    const { body } = reply;
    switch (body.kind) {
      case "chunks":
        return { ...reply, body: { kind: "chunks", chunks: observed(body.chunks, () => flow.end()) } };
      case "stream":
        return { ...reply, body: watched(body, exchange, flow, flows) };
      default:
        flow.end();
        return reply;
    }
  },
});

async function refuse(flow: Flow): Promise<Reply> {
  const reply = textReply(429, "Too many requests, please try again later.\n");
  return { ...reply, headers: { ...reply.headers, "retry-after": String(flow.refused()) } };
}

/** Calls `end` when the last was made, and when nobody wants more. */
function observed(chunks: Chunks, end: () => void): Chunks {
  return {
    [Symbol.iterator]() {
      const made = chunks[Symbol.iterator]();
      return {
        next(free) {
          let isLast = true;
          try {
            const result = made.next(free);
            isLast = result.done === true;
            return result;
          } finally {
            if (isLast) end();
          }
        },
        return() {
          end();
          return made.return?.() ?? { done: true, value: undefined };
        },
      };
    },
  };
}

type Stream = Extract<Body, { kind: "stream" }>;

/** A watch keeps its seats until what was there is written; from then on it costs with each write. */
function watched(body: Stream, exchange: PipelineExchange, flow: Flow, flows: FlowControl): Stream {
  return {
    ...body,
    async start(sink) {
      const forget = flows.watching(exchange);
      sink.onClose(() => {
        forget();
        flow.end();
      });
      try {
        await body.start(sink);
      } finally {
        flow.end();
      }
    },
    discard() {
      flow.end();
      body.discard?.();
    },
  };
}
