/** Which process a number means: numbers are used again, so its start time belongs to it. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface ProcessFacts {
  readonly pid: number;
  readonly group: number;
  /** In the machine's own words; the same for as long as it is the same process. */
  readonly started: string;
  /** Its own, and that of its children that have ended. */
  readonly cpuNanoseconds: number;
  readonly residentBytes: number;
}

const nanosecondsPerTick = 10_000_000;
const pageBytes = 4096;
const isLinux = process.platform === "linux";

/** Undefined: there is none, or it has ended and was not reaped yet. */
export async function processFacts(pid: number): Promise<ProcessFacts | undefined> {
  if (!isLinux) return (await listByPs(["-p", String(pid)])).at(0);
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseStat(pid, text);
}

export async function allProcesses(): Promise<readonly ProcessFacts[]> {
  if (!isLinux) return await listByPs(["-ax"]);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const facts = await Promise.all(pids.map(processFacts));
  return facts.filter((one) => one !== undefined);
}

/** What has left the group of its container, but kept its environment. Only Linux shows it. */
export async function markedProcesses(marker: string): Promise<readonly number[]> {
  if (!isLinux) return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      return environment.split("\0").includes(marker) ? pid : undefined;
    }),
  );
  return found.filter((pid) => pid !== undefined);
}

/** False when there is nothing to signal. */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** The name of the program stands in brackets and may hold anything. */
function parseStat(pid: number, text: string): ProcessFacts | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const number = (at: number) => Number(fields[at] ?? 0);
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  const ticks = number(11) + number(12) + number(13) + number(14);
  const started = fields[19] ?? "";
  return { pid, group: number(2), started, cpuNanoseconds: ticks * nanosecondsPerTick, residentBytes: number(21) * pageBytes };
}

async function listByPs(which: readonly string[]): Promise<readonly ProcessFacts[]> {
  const columns = ["pid", "pgid", "rss", "time", "stat", "lstart"].flatMap((name) => ["-o", `${name}=`]);
  const { stdout } = await run("ps", [...which, ...columns]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").flatMap((line) => {
    const [pid, group, kilobytes, time = "", state = "", ...started] = line.trim().split(/\s+/);
    if (started.length === 0 || state.startsWith("Z")) return [];
    const seconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0);
    const facts = { pid: Number(pid), group: Number(group), started: started.join(" ") };
    return [{ ...facts, cpuNanoseconds: seconds * 1e9, residentBytes: Number(kilobytes) * 1024 }];
  });
}
