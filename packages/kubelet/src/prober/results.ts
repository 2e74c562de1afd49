/** Results of one container's probes. Undefined: no result yet. */
export interface ProbeResults {
  readonly startup: boolean | undefined;
  readonly readiness: boolean | undefined;
  readonly liveness: boolean | undefined;
}
