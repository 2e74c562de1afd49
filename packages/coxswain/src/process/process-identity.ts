/** Which process it is: the system gives the number of one that has ended to another. */
import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, as the system says it: for comparing alone. */
  readonly startTime: string;
}

/** Undefined when there is no such process, or when it has ended and nobody has asked yet how. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = process.platform === "linux" ? startTimeOnLinux(pid) : startTimeOfPs(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

export const ownIdentity = (): ProcessIdentity => identityOf(process.pid) ?? { pid: process.pid, startTime: "" };

export const isAlive = ({ pid, startTime }: ProcessIdentity): boolean => identityOf(pid)?.startTime === startTime;

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function startTimeOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the name, which may have anything in it: the third field, and the 22nd.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch (error) {
    // ESRCH: it ended while it was read.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return undefined;
    throw error;
  }
}

function startTimeOfPs(pid: number): string | undefined {
  try {
    // Loaded where it is needed: a start on Linux does without.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env: { LC_ALL: "C" } }).trim();
  } catch (error) {
    // So `ps` says that there is none.
    if (error instanceof Error && "status" in error && error.status === 1) return undefined;
    throw error;
  }
}
