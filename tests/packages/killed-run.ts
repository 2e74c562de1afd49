/** A run of tests that is killed in the middle: what it has started has to notice by itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { waitUntil } from "@coxswain/machinery/testing";
import { run } from "../conformance/client-program.ts";

export interface KilledRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it prints once everything runs. */
  readonly printed: RegExp;
  /** Whether an output still lacks nothing of what was started; asked before it is killed. */
  readonly running: RegExp;
}

/** Returns what it had printed. Resolves once no process is left that has one of its words, `words`, in its command line. */
export async function killWhenPrinted({ program, args, cwd, env, printed, running }: KilledRun, word: string): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    await waitUntil(`${program} to print ${printed}`, () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`);
      return printed.test(output);
    });
    const before = await processesWith(word);
    if (!running.test(before)) throw new Error(`${running} is not among the processes:\n${before}\n${output}`);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
  await waitUntil("what it has started to end", async () => (await processesWith(word)) === "");
  return output;
}

/** Their command lines. */
async function processesWith(word: string): Promise<string> {
  const { stdout } = await run("ps", ["-A", "-ww", "-o", "args="], { timeoutMs: 60_000 });
  return stdout
    .split("\n")
    .filter((line) => line.includes(word))
    .join("\n");
}
