/** Where a runtime behind a socket is, and how long it is waited for. */
import type { Clock } from "@coxswain/machinery";

/** Where a runtime listens, and how many milliseconds its calls may take. */
export interface CriRuntimeOptions {
  /** Path of its socket, with or without `unix://`. */
  readonly socket: string;
  readonly clock: Clock;
  /** How long a call may take; 2 minutes by default. Some verbs get more: pulls as long as they need. */
  readonly timeoutMs?: number;
}
