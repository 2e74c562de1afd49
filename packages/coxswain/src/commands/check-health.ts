/** `coxswain healthz`: for whoever probes a container that has no other program in it. */
import { join } from "node:path";
import { chooseAccess } from "@coxswain/client";
import { loadKubeconfig, transportOf } from "@coxswain/client/node";
import { messageOf, sleep, systemClock } from "@coxswain/machinery";
import type { Command } from "commander";
import { baseCommand, type Environment, type Output } from "../options/base-command.ts";
import { parseMilliseconds } from "../options/standalone-options.ts";
import { defaultDataDir } from "../options/user-paths.ts";
import { parseCommandLine } from "../process/process.ts";

export const healthCommand = (output: Output, env: Environment): Command =>
  baseCommand("healthz", output)
    .description("Ask a running server how it is, and fail unless it is well.")
    .option("--kubeconfig <file>", "how to reach it", join(defaultDataDir(env), "kubeconfig"))
    .option("--path <path>", "what to ask: /readyz, /livez, /healthz, or one of their checks", "/readyz")
    .option("--wait <duration>", "keep asking for so long until it is well", parseMilliseconds, 0);

/** Exits with 1 unless the server says that it is well. */
export async function runHealthCommand(args: readonly string[]): Promise<void> {
  const command = parseCommandLine((output) => healthCommand(output, process.env).parse(args, { from: "user" }));
  if (command === undefined) return;
  const { wait, ...asked } = command.opts<Asked & { readonly wait: number }>();
  const problem = await problemWith(asked, systemClock.monotonic() + wait);
  (problem === undefined ? process.stdout : process.stderr).write(`${problem ?? "ok"}\n`);
  if (problem !== undefined) process.exitCode = 1;
}

interface Asked {
  readonly kubeconfig: string;
  readonly path: string;
}

/** Between two attempts. */
const pauseMs = 100;

/** Undefined once it is well; what it says, or why it does not, when it is not by `deadline`. */
async function problemWith(asked: Asked, deadline: number): Promise<string | undefined> {
  for (;;) {
    const problem = await ask(asked).catch((error: unknown) => `coxswain: the server does not answer: ${messageOf(error)}`);
    if (problem === undefined || systemClock.monotonic() >= deadline) return problem;
    await sleep(systemClock, pauseMs);
  }
}

/** As long as a probe of Kubernetes may be set to take, and no longer. */
const answerMs = 10_000;

/** @throws Error when there is no answer, or no file that says where to ask */
async function ask({ kubeconfig, path }: Asked): Promise<string | undefined> {
  await using transport = transportOf(chooseAccess(await loadKubeconfig({ paths: [kubeconfig] })));
  const answer = await transport.send({ method: "GET", path, headers: {}, signal: AbortSignal.timeout(answerMs) });
  const text = Buffer.from(await answer.bytes())
    .toString()
    .trim();
  return answer.status === 200 ? undefined : text;
}
