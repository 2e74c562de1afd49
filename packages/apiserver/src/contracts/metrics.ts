/** What is counted, as those who count see it. */

/** Keep it: its `count` goes up with each event that is sent to a watcher. */
export interface WatchEventSeries {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  count: number;
}

export interface WatchMetrics {
  watchEventsOf(group: string, version: string, resource: string): WatchEventSeries;
}

export interface ConflictMetrics {
  /** `reason`: of what explains the conflict first; empty where nothing does. */
  countConflict(reason: string): void;
}

/** What is counted about webhooks that decide what users may do. */
export type AuthorizationEvent =
  /** A webhook's conditions, evaluated. */
  | { readonly type: "match"; readonly name: string; readonly outcome: "matches" | "excluded" | "failed"; readonly seconds: number }
  /** A webhook, asked. */
  | { readonly type: "evaluation"; readonly name: string; readonly result: string; readonly seconds: number }
  /** A failure that others decide after. */
  | { readonly type: "fail open"; readonly name: string; readonly result: string };

/** Keep it: its counts go up with each decision that ends the question. */
export interface DecisionSeries {
  readonly type: string;
  readonly name: string;
  allowed: number;
  denied: number;
}

export interface AuthorizationMetrics {
  decisionsOf(type: string, name: string): DecisionSeries;
  count(event: AuthorizationEvent): void;
}
