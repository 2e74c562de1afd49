import type { FlowControlOptions } from "@coxswain/apiserver";

/** What one of several servers of a process may serve at a time, so that together they serve as much as one. */
export function flowControlShare(options: FlowControlOptions | undefined, servers: number): FlowControlOptions | undefined {
  if (options === undefined || servers < 2) return options;
  const { maxRequestsInflight = 400, maxMutatingRequestsInflight = 200 } = options;
  const share = (count: number): number => Math.ceil(count / servers);
  return {
    ...options,
    maxRequestsInflight: share(maxRequestsInflight),
    maxMutatingRequestsInflight: share(maxMutatingRequestsInflight),
  };
}
