/** InterPodAffinityArgs of kubescheduler.config.k8s.io/v1. */
import type { field } from "@coxswain/machinery";
import { type Args, checkRange, refuseAny } from "../plugin-args.ts";

export interface AffinityArgs {
  /** What a Pod that requires another near counts for where that other might go: 0 to 100. */
  readonly hardPodAffinityWeight: number;
  /** For Pods that prefer nothing themselves. */
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

/** @throws Error naming what is wrong */
export function readAffinityArgs(args: Args): AffinityArgs {
  const errors: field.FieldError[] = [];
  const weight = args.hardPodAffinityWeight ?? 1;
  checkRange(errors, "hardPodAffinityWeight", weight, { range: [0, 100], message: "not in valid range [0, 100]" });
  refuseAny(errors);
  return { hardPodAffinityWeight: Number(weight), ignorePreferredTermsOfExistingPods: args.ignorePreferredTermsOfExistingPods === true };
}
