/** Runs the command as a user does who has a home of his own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { mainFile } from "../conformance/command-under-test.ts";

export interface Home {
  readonly path: string;
  /** Until it ends by itself. */
  run(...args: readonly string[]): Promise<Ended>;
  /** Goes on until it is ended; it is killed when the test ends. */
  begin(args: readonly string[]): Begun;
  /** Until it has printed that it serves, alone unless the arguments say how many nodes it has; it is killed when the test ends. */
  serve(...args: readonly string[]): Promise<Serving>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Begun {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  printed(): Pick<Ended, "stdout" | "stderr">;
}

export interface Serving {
  readonly process: ChildProcess;
  readonly stdout: string;
  readonly ended: Promise<Ended>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Gone when the test ends. */
export function home(t: Pick<TestContext, "after">, environment: Environment = {}): Home {
  const path = mkdtempSync(join(tmpdir(), "coxswain-home-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  mkdirSync(join(path, "tmp"));
  const own = { HOME: path, TMPDIR: join(path, "tmp"), XDG_DATA_HOME: undefined, XDG_STATE_HOME: undefined, KUBECONFIG: undefined };
  const env = { ...process.env, ...own, npm_lifecycle_event: undefined, npm_command: undefined, ...environment };
  const begin = (args: readonly string[]): Begun => {
    const child = spawn(process.execPath, [mainFile, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    t.after(() => child.kill("SIGKILL"));
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
    return { child, ended, printed: () => ({ stdout, stderr }) };
  };
  return {
    path,
    begin,
    run: (...args) => begin(args).ended,
    async serve(...args) {
      const alone = args.some((arg) => arg.startsWith("--nodes")) ? [] : ["--apiserver-only"];
      const { child, ended, printed } = begin(["--port=0", ...alone, ...args]);
      const stdout = await waitUntil("the server", () => {
        if (child.exitCode !== null) throw new Error(`coxswain ended with ${child.exitCode}: ${printed().stderr}`);
        return printed().stdout.includes("Ctrl-C") ? printed().stdout : undefined;
      });
      return { process: child, stdout, ended };
    },
  };
}
