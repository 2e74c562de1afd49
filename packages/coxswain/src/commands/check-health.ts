/** `coxswain healthz`: for whoever probes a container that has no other program in it. */
import { join } from "node:path";
import { chooseAccess } from "@coxswain/client";
import { loadKubeconfig, transportOf } from "@coxswain/client/node";
import { messageOf } from "@coxswain/machinery";
import type { Command } from "commander";
import { baseCommand, type Environment, type Output } from "../options/base-command.ts";
import { defaultDataDir } from "../options/cluster-options.ts";
import { parseCommandLine } from "../process/process.ts";

export const healthCommand = (output: Output, env: Environment): Command =>
  baseCommand("healthz", output)
    .description("Ask a running server how it is, and fail unless it is well.")
    .option("--kubeconfig <file>", "how to reach it", join(defaultDataDir(env), "kubeconfig"))
    .option("--path <path>", "what to ask: /readyz, /livez, /healthz, or one of their checks", "/readyz");

/** Exits with 1 unless the server says that it is well. */
export async function runHealthCommand(args: readonly string[]): Promise<void> {
  const command = parseCommandLine((output) => healthCommand(output, process.env).parse(args, { from: "user" }));
  if (command === undefined) return;
  const { kubeconfig, path } = command.opts<{ readonly kubeconfig: string; readonly path: string }>();
  try {
    const answer = await ask(kubeconfig, path);
    (answer.status === 200 ? process.stdout : process.stderr).write(`${answer.text}\n`);
    if (answer.status !== 200) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`coxswain: the server does not answer: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** As long as a probe of Kubernetes may be set to take, and no longer. */
const answerMs = 10_000;

/** @throws Error when there is no answer, or no file that says where to ask */
async function ask(kubeconfig: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  await using transport = transportOf(chooseAccess(await loadKubeconfig({ paths: [kubeconfig] })));
  const answer = await transport.send({ method: "GET", path, headers: {}, signal: AbortSignal.timeout(answerMs) });
  return {
    status: answer.status,
    text: Buffer.from(await answer.bytes())
      .toString()
      .trim(),
  };
}
