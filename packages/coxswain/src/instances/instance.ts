/** A server that runs as a command of this user. */
import type { ProcessIdentity } from "../process/process-identity.ts";

export interface Instance extends ProcessIdentity {
  readonly name: string;
  /** Of coxswain. */
  readonly version: string;
  /** Undefined while it starts. */
  readonly serving?: { readonly server: string; readonly kubeconfig: string };
  /** Undefined where everything is in memory. */
  readonly dataDir?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}
