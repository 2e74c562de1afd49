/**
 * The durable command under load, over TLS and HTTP/2, beside a bare server of Node's in the same run, which is the ceiling.
 * Prints a line of figures for each scenario. `-n 1000 -only get,list` runs less; `-server URL -token T -pids 1,2` loads
 * another server. benchmarks/server/options.ts has all options.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startCommand } from "../tests/conformance/command-under-test.ts";
import { type Connection, connectTo, expectStatus, type LoadedServer } from "./load.ts";
import { atClient, formatFigures, measure, type Target } from "./server/measure.ts";
import { parseServerBenchOptions, scenarioNames } from "./server/options.ts";
import { podsToRunning } from "./server/pods.ts";
import { createCounter, get, groups, lostIncrements, namespace } from "./server/scenarios.ts";
import { watchFanOut } from "./server/watch-fan-out.ts";

const options = parseServerBenchOptions(process.argv.slice(2));
const bareRequests = 20_000;
const barePerSecond = await measureBareServer();
if (options.other !== undefined) await loadServer(options.other, options.other.pids);
else await loadCommand();
print(`bare server: ${barePerSecond.toFixed(0)} GET/s`);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Requests per second. */
async function measureBareServer(): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server", "bare-server.ts")], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [server] = await once(createInterface(child.stdout), "line");
    using connection = await connectTo({ server, token: "" });
    const target = { connections: [connection], pids: [pidOf(child)] };
    return (await measure(target, get({ n: bareRequests, c: 16 }))).perSecond;
  } finally {
    child.kill();
  }
}

async function loadCommand(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
  const cluster = options.only?.has("pods") ? ["--runtime", "simulated", "--nodes", String(options.nodes)] : [];
  const command = await startCommand("--data-dir", data, "--log-level", "warn", ...cluster);
  try {
    await loadServer(command, [pidOf(command.process)]);
    process.stdout.write(command.log());
  } finally {
    await command.stop();
    rmSync(data, { recursive: true });
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("the server did not start");
  return pid;
}

async function loadServer(server: LoadedServer, pids: readonly number[]): Promise<void> {
  using stack = new DisposableStack();
  const connections: Connection[] = [];
  for (let i = 0; i < options.conns; i++) connections.push(stack.use(await connectTo(server)));
  const target = { connections, pids };
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  expectStatus(await atClient(connections, 0).send("POST", "/api/v1/namespaces", object), 201);
  const chosen = scenarioNames.filter((name) => options.only?.has(name) ?? name !== "pods");
  for (const name of chosen) await runGroup(name, target, server);
}

async function runGroup(name: string, target: Target, server: LoadedServer): Promise<void> {
  const connection = atClient(target.connections, 0);
  if (name === "watch") print(formatFigures(await watchFanOut(target, options), barePerSecond));
  if (name === "pods") for (const figures of await podsToRunning(target, server, options)) print(formatFigures(figures, barePerSecond));
  if (name === "contend") await createCounter(connection);
  for (const scenario of groups[name]?.(options) ?? []) print(formatFigures(await measure(target, scenario), barePerSecond));
  const lost = name === "contend" ? await lostIncrements(connection, options.n) : undefined;
  if (lost !== undefined) print(lost);
}
