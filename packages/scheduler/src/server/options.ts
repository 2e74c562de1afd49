import type { Extender } from "../framework/extender.ts";
import type { ProfileSpec } from "../framework/profile.ts";

/** SchedulerOptions are what a scheduler is made of: profiles, extenders and limits. */
export interface SchedulerOptions {
  /** At least one; each has a schedulerName of its own, and all sort the queue alike. */
  readonly profiles: readonly ProfileSpec[];
  readonly extenders?: readonly Extender[];
  /** How many bindings and status writes may go on at once. Default: 100. */
  readonly parallelBindings?: number;
  /** Default: 1,000 and 10,000. */
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  /**
   * Follows all Pods, ended ones too, with the informer that others in the process have. Default: one of its own, that the
   * server sends no Pod that has ended.
   */
  readonly sharedPods?: boolean;
  /** The machine that it runs on, for its Events. */
  readonly host?: string;
}
