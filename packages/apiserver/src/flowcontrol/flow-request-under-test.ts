/** Requests of tests. */
import { FlowSeries } from "../metrics/flow-control.ts";
import { FlowRequest, type WorkEstimate } from "./flow-request.ts";

export interface RequestUnderTest {
  readonly flow?: string;
  readonly at?: number;
  readonly waitMs?: number;
  readonly isGone?: () => boolean;
  readonly estimate?: Partial<WorkEstimate>;
}

/** A get of one seat, unless it is said otherwise. */
export function requestUnderTest({
  flow = "",
  at = 0,
  waitMs = 15_000,
  isGone = () => false,
  estimate,
}: RequestUnderTest = {}): FlowRequest {
  return new FlowRequest({
    series: new FlowSeries("level", "schema"),
    distinguisher: flow,
    estimate: { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0, ...estimate },
    arrivedAt: at,
    waitUntil: at + waitMs,
    info: { kind: "path", verb: "get", path: "/", segments: [] },
    exchange: {
      user: { name: flow, uid: "", groups: [], extra: {} },
      request: {
        get isGone() {
          return isGone();
        },
      },
    },
  });
}
