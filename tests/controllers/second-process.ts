/** `coxswain controllers` and the like, as a user starts them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mainFile } from "../conformance/command-under-test.ts";

export interface ComponentProcess extends AsyncDisposable {
  readonly process: ChildProcess;
  /** What it has logged so far. */
  log(): string;
  /** Resolves once it has logged this message. */
  said(message: string): Promise<void>;
  /** Resolves with the exit code; null for what was killed. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export const startControllersProcess = (kubeconfig: string, ...options: readonly string[]): ComponentProcess =>
  startComponentProcess("controllers", kubeconfig, ...options);

export function startComponentProcess(
  component: "controllers" | "scheduler",
  kubeconfig: string,
  ...options: readonly string[]
): ComponentProcess {
  const args = [mainFile, component, "--kubeconfig", kubeconfig, ...options];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = once(child, "exit");
  const said = async (message: string): Promise<void> => {
    while (!log.includes(`"msg":"${message}"`)) {
      if (child.exitCode !== null) throw new Error(`the ${component} ended with ${child.exitCode}:\n${log}`);
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
