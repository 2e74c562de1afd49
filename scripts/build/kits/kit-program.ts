/** Runs the build tool of another language. */
import { spawnSync } from "node:child_process";
import { messageOf } from "@coxswain/machinery";

export interface KitProgram {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns what it printed. @throws Error with that when the program fails or is not there */
export function runKitProgram(program: string, args: readonly string[], { cwd, env = {} }: KitProgram): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (error !== undefined) throw new Error(`${program} cannot be run: ${messageOf(error)}`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}
