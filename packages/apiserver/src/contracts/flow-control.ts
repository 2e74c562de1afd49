/** How requests take turns: what priority and fairness, or a plain limit, says of each. */
import type { UserInfo } from "./authenticator.ts";
import type { HttpRequest } from "./http.ts";
import type { RequestInfo } from "./request-info.ts";

/** What is known of a request before it is authorized. */
export interface FlowExchange {
  readonly request: Pick<HttpRequest, "isGone">;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly query: URLSearchParams;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

/** A request that takes its turn. */
export interface Flow {
  /** What the answer says about it; undefined where nothing. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether it may be served: known at once, or after it has waited. One that may not is answered with 429. To be asked once. */
  readonly mayRun: boolean | Promise<boolean>;
  /** Call once when it may not. @returns seconds after which the client may try again */
  refused(): number;
  /** Call when a request has been served, or nobody waits for it any more: as often as you like. */
  end(): void;
}

/** Lets requests run, wait, or be refused. Requests that last as long as their client likes must not be asked about, except watches. */
export interface FlowControl {
  begin(exchange: FlowExchange): Flow;
  /** A watch counts for the work of later writes until the function is called that this returns. */
  watching(exchange: FlowExchange): () => void;
  /** What `/debug/api_priority_and_fairness/NAME` answers; undefined for other names. */
  dump(name: string, query: URLSearchParams): string | undefined;
}
