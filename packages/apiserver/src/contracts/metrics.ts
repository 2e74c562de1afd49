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
