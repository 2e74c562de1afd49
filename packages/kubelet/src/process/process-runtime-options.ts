/** Where the containers of a process runtime live. */
import type { Clock, RandomSource } from "@coxswain/machinery";

/** Where a process runtime keeps its containers, and which addresses their Pods get. */
export interface ProcessRuntimeOptions {
  /** Its own; made if it is not there. Two runtimes cannot share one. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The addresses of Pods: those of this machine. */
  readonly podIps: readonly string[];
  /** Where programs are looked for that a Pod names without a path. Default: as for this process. */
  readonly path?: string;
}
