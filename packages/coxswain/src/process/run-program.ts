/** Another program in the foreground: it has the terminal until it ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Environment } from "../options/base-command.ts";
import { StartError, startErrorOf } from "./start-error.ts";

/**
 * Its exit code, or 128 and the number of the signal that ended it. A terminal passes its signals on to the program as well: this process
 * waits for what that makes of them. @throws StartError when it does not start
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, missing = `there is no ${program} on the PATH` }: { readonly env: Environment; readonly missing?: string },
): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...env } });
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => void child.kill(signal));
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + constants.signals[signal ?? "SIGTERM"];
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new StartError(missing, { cause: error });
    throw startErrorOf(`${program} did not start`, error);
  }
}
