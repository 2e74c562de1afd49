/** A program that serves until it is stopped. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";

export interface StartedProgram {
  readonly process: ChildProcess;
  /** What it has printed so far, on both outputs. */
  output(): string;
  /** Waits until it has printed this. @throws Error with what it printed when it ends before */
  printed(what: RegExp): Promise<RegExpExecArray>;
  /** Ends it in order; resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Ended with the test, if it has not before. */
export function startProgram(t: Pick<TestContext, "after">, program: string, args: readonly string[], env = process.env): StartedProgram {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const ended = once(child, "close").then(([code]) => code as number | null);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const stop = (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    return ended;
  };
  t.after(stop);
  return {
    process: child,
    output: () => output,
    async printed(what) {
      await waitUntil(`${program} to print ${what}`, () => {
        if (child.exitCode !== null) throw new Error(`${program} ${args.join(" ")} ended with ${child.exitCode}:\n${output}`);
        return what.test(output);
      });
      return what.exec(output) as RegExpExecArray;
    },
    stop,
  };
}
