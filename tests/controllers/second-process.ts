/** `coxswain controllers` as a user starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mainFile } from "../conformance/command-under-test.ts";

export interface ControllersProcess extends AsyncDisposable {
  readonly process: ChildProcess;
  /** What it has logged so far. */
  log(): string;
  /** Resolves once it has logged this message. */
  said(message: string): Promise<void>;
  /** Resolves with the exit code; null for what was killed. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startControllersProcess(kubeconfig: string, ...options: readonly string[]): ControllersProcess {
  const child = spawn(process.execPath, [mainFile, "controllers", "--kubeconfig", kubeconfig, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = once(child, "exit");
  const said = async (message: string): Promise<void> => {
    while (!log.includes(`"msg":"${message}"`)) {
      if (child.exitCode !== null) throw new Error(`the controllers ended with ${child.exitCode}:\n${log}`);
      await Promise.race([once(child.stderr, "data"), exited]);
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return { process: child, log: () => log, said, end, [Symbol.asyncDispose]: async () => void (await end("SIGKILL")) };
}
