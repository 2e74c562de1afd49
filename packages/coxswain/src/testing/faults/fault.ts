/** What can go wrong between a client and its server, and when. */
import type { StatusError } from "@coxswain/machinery";
import type { SeenRequest } from "./seen-request.ts";

/** One thing that can go wrong with one request or watch. */
export type Fault =
  /** A 409 as for a write that was based on an old version; the server never sees the request. */
  | { readonly kind: "conflict" }
  /** Any other refusal; the server never sees the request. */
  | { readonly kind: "status"; readonly error: StatusError }
  /**
   * 410: the history that the client asks for is gone. A watch learns it from an event after `afterEvents` others
   * (default 0), everything else from its answer.
   */
  | { readonly kind: "expired"; readonly afterEvents?: number }
  /** The connection is lost before the request has arrived, which the client cannot know. */
  | { readonly kind: "lose-request" }
  /** The connection is lost after the request took effect. */
  | { readonly kind: "lose-answer" }
  /** The answer takes so long. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Another client is faster: runs to its end before the request is passed on. */
  | { readonly kind: "overtake"; readonly by: () => Promise<unknown> }
  /**
   * The answer is from a cache that is so many revisions behind (default 1). Only reads that allow it are hit: those with
   * `resourceVersion=0`, or with a version that the cache has reached.
   */
  | { readonly kind: "stale"; readonly revisions?: number }
  /** The connection of a watch is lost instead of bringing the next event. */
  | { readonly kind: "drop-watch"; readonly afterEvents?: number }
  /** A watch brings nothing any more, and does not end either. */
  | { readonly kind: "stall-watch"; readonly afterEvents?: number }
  /** The server ends a watch as when its time is up, instead of bringing the next event. */
  | { readonly kind: "end-watch"; readonly afterEvents?: number }
  /** A watch brings events so much later, in their order. */
  | { readonly kind: "delay-events"; readonly ms: number };

/** A fault and the requests that it hits. */
export interface FaultRule {
  /** Which requests. Default: all that the fault can hit. */
  readonly on?: RequestMatch | ((request: SeenRequest) => boolean);
  /** Which of those, from 1 on. Default: every one. */
  readonly nth?: number | readonly number[];
  /** Which of the client's steps, from 1 on: its requests and the events of its watches, counted together. */
  readonly step?: number;
  /** How often at most. */
  readonly times?: number;
  /** How likely it is each time, by the script's own dice. Default: 1. */
  readonly chance?: number;
  readonly fault: Fault;
}

type OneOrMore<T> = T | readonly T[];

/** All that is given has to be so. */
export interface RequestMatch {
  /** A verb of the API, or `read` for get, list and watch, or `write` for the others. */
  readonly verb?: OneOrMore<SeenRequest["verb"] | "read" | "write">;
  readonly group?: string;
  readonly resource?: OneOrMore<string>;
  readonly subresource?: string;
  readonly namespace?: string;
  /** For a creation, the name in the object. */
  readonly name?: string;
}

/** Faults of watches do not hit other requests, nor the other way round, whatever a rule says. */
export function canHit(fault: Fault, { verb, resourceVersion, exact }: SeenRequest): boolean {
  switch (fault.kind) {
    case "drop-watch":
    case "stall-watch":
    case "end-watch":
    case "delay-events":
      return verb === "watch";
    case "conflict":
      return verb === "update" || verb === "patch" || verb === "delete";
    case "expired":
      return verb === "watch" || (verb === "list" && exact);
    case "stale":
      return (verb === "get" || verb === "list") && resourceVersion !== undefined && !exact;
    case "lose-answer":
    case "slow":
      return verb !== "watch";
    case "status":
    case "lose-request":
    case "overtake":
      return true;
  }
}

export function matches(on: FaultRule["on"], request: SeenRequest): boolean {
  if (on === undefined) return true;
  if (typeof on === "function") return on(request);
  const { verb, resource, ...exact } = on;
  if (verb !== undefined && !listed(verb).some((one) => one === request.verb || one === (isRead(request) ? "read" : "write"))) return false;
  if (resource !== undefined && !listed(resource).includes(request.resource)) return false;
  return Object.entries(exact).every(([key, wanted]) => wanted === undefined || request[key as keyof typeof exact] === wanted);
}

const listed = <T>(value: OneOrMore<T>): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : [value as T]);

const isRead = ({ verb }: SeenRequest): boolean => verb === "get" || verb === "list" || verb === "watch";
