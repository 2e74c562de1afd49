/** Why a metric has no value or proposes nothing. */
import { messageOf } from "@coxswain/machinery";

/** In the condition and the Event stands `problem`; the message, which says what it is about, stands where several metrics failed. */
export class MetricError extends Error {
  readonly reason: string;
  readonly problem: string;
  constructor(reason: string, problem: string, message: string) {
    super(message);
    this.name = "MetricError";
    this.reason = reason;
    this.problem = problem;
  }
}

/** Has a detail that stands in the message of a MetricError, and not in its problem. */
export class DetailedError extends Error {
  readonly detail: string;
  constructor(detail: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "DetailedError";
    this.detail = detail;
  }
}

export const withDetail = (detail: string) => (error: unknown) => {
  throw new DetailedError(detail, error);
};

export const withPrefix =
  (prefix: string) =>
  (error: unknown): never => {
    throw new Error(`${prefix}: ${messageOf(error)}`, { cause: error });
  };
