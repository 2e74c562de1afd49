/** The installed command, running: started with npx in a folder, as the README says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EmptyFolder, strangersEnvironment } from "./empty-folder.ts";
import type { InstalledNode } from "./installed-node.ts";

export interface InstalledCommand extends AsyncDisposable {
  readonly server: string;
  readonly kubeconfig: string;
  /** As a Ctrl-C does; resolves when npx and whatever it has started are gone. */
  stop(): Promise<void>;
}

/** @throws Error with what it printed when it ends before it is ready */
export async function startInstalled(folder: EmptyFolder, args: readonly string[], node: InstalledNode): Promise<InstalledCommand> {
  const kubeconfig = join(folder.path, `kubeconfig-${node.version}`);
  const all = ["coxswain", "--ephemeral", "--port=0", `--kubeconfig=${kubeconfig}`, ...args];
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...strangersEnvironment(node) }).filter(([, value]) => value !== undefined),
  );
  // In a group of its own: a Ctrl-C reaches every process of a terminal, npx and what it has started.
  const child = spawn("npx", all, { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  // Not before all that hold its output have ended.
  const closed = once(child, "close");
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    closed.then(([code]) => reject(new Error(`coxswain ended with ${code}:\n${log}`)));
  });
  const server = /server: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  if (server === undefined || child.pid === undefined) throw new Error("the kubeconfig names no server");
  const { pid } = child;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, "SIGINT");
    await closed;
  };
  return { server, kubeconfig, stop, [Symbol.asyncDispose]: stop };
}
