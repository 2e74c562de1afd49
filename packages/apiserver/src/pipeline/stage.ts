/** One step between a request and its answer. */
import type { Authentication } from "../contracts/authenticator.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { Flow } from "../contracts/flow-control.ts";
import type { Reply, UnreadBody } from "../contracts/http.ts";
import type { PathRequest } from "../contracts/request-info.ts";

/** A request on its way: stages fill in what they find out. */
export type PipelineExchange = { -readonly [K in keyof Exchange]: Exchange[K] } & {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** What the client sends, as long as nobody has asked for it: `body` is empty then. */
  unread: UnreadBody | undefined;
  /** What became of the credentials meanwhile; undefined where nothing that is stored vouches for them. */
  reauthenticate: (() => Promise<Authentication>) | undefined;
  /** Undefined as long as it has not taken its turn, and where requests take none. */
  flow: Flow | undefined;
};

/** What a request is about as long as no stage has found out. */
export const notParsed: PathRequest = { kind: "path", verb: "", path: "", segments: [] };

/** Whatever comes after a stage. It may throw as well as reject. */
export type Next = (exchange: PipelineExchange) => Promise<Reply>;

/**
 * Stages are made once for each server. What they do for a request must not wait, nor make promises, where it need not: a
 * stage that has nothing to wait for returns what `next` returns.
 */
export interface Stage {
  readonly name: string;
  /** Called once, when the pipeline is put together: what the stage does before, and around, all that follows it. */
  wrap?(next: Next): Next;
  /**
   * What becomes of an error that this stage or a later one has thrown: an answer, or, by a rejection, another error for the
   * stages before this one. Undefined for errors that do not concern the stage. The last stage is asked first.
   */
  recover?(error: unknown, exchange: PipelineExchange): Promise<Reply> | undefined;
  /** Called once for each answer, also for that to an error, from the last stage to the first; returns what goes on. */
  finish?(exchange: PipelineExchange, reply: Reply): Reply;
}
