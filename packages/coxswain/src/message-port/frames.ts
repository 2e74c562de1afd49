/** What the two ends of a port say to each other. Frames arrive in their order. */
import type { TransportRequest } from "@coxswain/client";
import type { InProcessUser } from "../in-process/in-process-callers.ts";

/** Frames that were written in one turn, and behind them, in one piece, the bytes that they have. */
export interface Batch<Frame> {
  readonly frames: readonly Frame[];
  /** Its buffer changes hands. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Where in the bytes of its batch a frame's are: several frames may have the same. */
export type Span = readonly [start: number, end: number];

/** Of the client. Each session is of one user; ids are the client's to choose, each once. */
export type ClientFrame =
  | { readonly kind: "open"; readonly session: number; readonly user: InProcessUser }
  | ({ readonly kind: "request"; readonly id: number; readonly session: number; readonly body: Span | undefined } & Pick<
      TransportRequest,
      "method" | "path" | "headers"
    >)
  /** The bytes of an answer that have been read since the last of these. */
  | { readonly kind: "read"; readonly id: number; readonly bytes: number }
  /** Nobody reads the answer any more. */
  | { readonly kind: "cancel"; readonly id: number };

/** Of the server. */
export type ServerFrame =
  | { readonly kind: "whole"; readonly id: number; readonly head: Head; readonly body: Span }
  | { readonly kind: "begin"; readonly id: number; readonly head: Head }
  | { readonly kind: "chunk"; readonly id: number; readonly body: Span }
  | { readonly kind: "end"; readonly id: number }
  /** The answer that has begun is not whole. */
  | { readonly kind: "broken"; readonly id: number }
  /** There is no answer. */
  | { readonly kind: "failed"; readonly id: number; readonly message: string };

/** What comes before the body of an answer. */
export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}
