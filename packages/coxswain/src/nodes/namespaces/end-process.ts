/** Ends a process that this one need not have started. */
import type { Clock } from "@coxswain/machinery";
import { endsWithin } from "../../process/ends-within.ts";
import { isAlive, type ProcessIdentity } from "../../process/process-identity.ts";

export interface EndOptions {
  readonly clock: Clock;
  /** How long it may take by itself. Milliseconds. */
  readonly graceMs: number;
}

/** Resolves when it has ended: by itself within its grace, or killed. One that is stopped goes on first. */
export async function endProcess(process: ProcessIdentity, { clock, graceMs }: EndOptions): Promise<void> {
  signalProcess(process, "SIGTERM");
  signalProcess(process, "SIGCONT");
  if (await endsWithin(process, clock, graceMs)) return;
  signalProcess(process, "SIGKILL");
  await endsWithin(process, clock, Number.POSITIVE_INFINITY);
}

/** Whether it was there to get it. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
