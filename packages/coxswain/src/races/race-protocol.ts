/** What the server and the thread of its races say to each other. */
import type { RaceReport, RaceRequest, Status } from "@coxswain/machinery";
import type { CallOf } from "../threads/worker-thread.ts";

export type RaceOutcome = { readonly ok: true; readonly report: RaceReport } | { readonly ok: false; readonly status: Status };

/** What the server asks of the thread. */
export interface RaceCalls {
  begin(id: string, request: RaceRequest): Promise<RaceOutcome>;
  act(id: string, action: string, afterStep: number): Promise<RaceOutcome>;
  report(id: string): Promise<RaceOutcome>;
  /** Answered when it has ended. */
  end(id: string): Promise<undefined>;
}

export type RaceCall = CallOf<RaceCalls>;

export type ToRaceThread =
  | { readonly kind: "call"; readonly id: number; readonly call: RaceCall }
  /** The thread ends. */
  | { readonly kind: "end" };
