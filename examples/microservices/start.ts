/** A cluster of three nodes with real containers, as one starts it from a shell; it ends with this process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pauseImage } from "./image.ts";

const command = join(import.meta.dirname, "..", "..", "packages", "coxswain", "bin", "coxswain.mjs");

export interface StartedCluster extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** @throws Error with what the command says where it cannot start */
export async function startNodes(archive: string): Promise<StartedCluster> {
  const nodes = ["--runtime=cri", "--nodes=3", `--node-images=${archive}`, `--pod-infra-container-image=${pauseImage}`];
  const more = ["--ephemeral", "--port=0", "--output=json", "--log-level=warn", "--stop-on-stdin-close"];
  const child = spawn(process.execPath, [command, ...nodes, ...more], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const first = await Promise.race([once(child.stdout, "data"), ended.then(() => undefined)]);
  if (first === undefined) throw new Error("coxswain could not start three nodes; it says why above");
  return {
    kubeconfig: JSON.parse(String(first[0])).kubeconfig,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
