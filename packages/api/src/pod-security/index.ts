/** The Pod security standards and the policies of namespaces. */
export type { CheckedPod, Violation } from "./check.ts";
export { detailsOf, reasonsOf, violations } from "./evaluate.ts";
export * from "./policy.ts";
