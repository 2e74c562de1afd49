/** `coxswain at`: a command against the state of another moment. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncDisposableStack, systemClock } from "@coxswain/machinery";
import { kubeconfig } from "../access/kubeconfig.ts";
import { parseAtOptions } from "../options/past-options.ts";
import { type PastProxy, startPastProxy } from "../past/past-proxy.ts";
import { choosePastServer, PastServer } from "../past/past-server.ts";
import { parseCommandLine } from "../process/process.ts";
import { runProgram } from "../process/run-program.ts";

export async function runAt(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseAtOptions(args, output));
  if (options === undefined) return;
  const { moment, command } = options;
  await using server = new PastServer(await choosePastServer(options, process.env), "coxswain-at");
  const { resourceVersion, time } = await server.moment(moment);
  await using proxy = await startPastProxy({ transport: server.client.transport, resourceVersion, clock: systemClock });
  const since = time === undefined ? "" : `, of ${time}`;
  await runOnPast(proxy, server.namespace, command, `resourceVersion ${resourceVersion}${since}`);
}

/** Runs a command with a kubeconfig of the proxy; without one, prints the path of that and serves until a signal comes. */
export async function runOnPast(proxy: PastProxy, namespace: string, [program, ...words]: readonly string[], state = ""): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "coxswain-past-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "kubeconfig");
  const facts = { server: proxy.url, authority: proxy.authority, token: proxy.token, namespace };
  writeFileSync(path, kubeconfig({ ...facts, name: "coxswain-past" }), { mode: 0o600 });
  if (program !== undefined) {
    // What kubectl keeps of a server goes by its address, which others get later.
    const env = { ...process.env, KUBECONFIG: path, KUBECACHEDIR: join(folder, "cache") };
    process.exitCode = await runProgram(program, words, { env });
    return;
  }
  process.stdout.write(`${path}\n`);
  process.stderr.write(`coxswain: with that as KUBECONFIG, clients see ${state}, until Ctrl-C ends it\n`);
  await untilSignal();
}

export const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
