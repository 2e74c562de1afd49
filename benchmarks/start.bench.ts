/**
 * From the start of the process to its first answer, a GET of one of the 1,000 ConfigMaps of 1 KB that it has: the command
 * from its bundle and from its sources, in turns, and Node alone. The least and the median; the argument is how many starts
 * (11 unless given). Processor time is that of the main thread, where the system tells it (/proc).
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainFile } from "../tests/conformance/command-under-test.ts";
import { freePort } from "../tests/free-port.ts";
import { connectTo } from "./load.ts";

const starts = Number(process.argv[2] ?? 11);
const objects = 1_000;
const token = "bench";
const path = "/api/v1/namespaces/default/configmaps";

const folder = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
const tokens = join(folder, "tokens.csv");
const filled = join(folder, "filled");
const data = join(folder, "data");
const answeredMs = { bundle: [] as number[], sources: [] as number[] };
const cpuMs = { bundle: [] as number[], sources: [] as number[] };

try {
  writeFileSync(tokens, `${token},bench,bench,"system:masters"\n`);
  await start("0", fill);
  cpSync(data, filled, { recursive: true });
  for (let i = -1; i < starts; i++) {
    for (const from of ["bundle", "sources"] as const) {
      rmSync(data, { recursive: true });
      cpSync(filled, data, { recursive: true });
      const { ms, cpu } = await start(from === "sources" ? "1" : "0");
      if (i < 0) continue; // Fills the cache of compiled code.
      answeredMs[from].push(ms);
      if (cpu !== undefined) cpuMs[from].push(cpu);
    }
  }
  for (const from of ["bundle", "sources"] as const) print(`first answer, from the ${from}`, answeredMs[from], cpuMs[from]);
  print("node alone", Array.from({ length: starts }, nodeAlone), []);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Until the first answer; `then` runs before the server is stopped. */
async function start(fromSources: string, then?: (server: string) => Promise<void>): Promise<{ ms: number; cpu: number | undefined }> {
  const port = await freePort();
  const options = [`--data-dir=${data}`, `--port=${port}`, `--kubeconfig=${join(folder, "kubeconfig")}`, `--token-auth-file=${tokens}`];
  const env = { ...process.env, COXSWAIN_FROM_SOURCES: fromSources };
  const begun = performance.now();
  const child = spawn(process.execPath, [mainFile, ...options, "--log-level=error"], { env, stdio: ["ignore", "ignore", "inherit"] });
  const server = `https://127.0.0.1:${port}`;
  const wanted = then === undefined ? `${server}${path}/map-500` : `${server}/readyz`;
  while (!(await isAnswered(wanted))) {
    if (child.exitCode !== null) throw new Error(`coxswain ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const ms = performance.now() - begun;
  const cpu = mainThreadMs(child.pid);
  await then?.(server);
  child.kill("SIGTERM");
  await once(child, "exit");
  return { ms, cpu };
}

function isAnswered(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const get = request(url, { agent: false, rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode === 200));
    });
    get.on("error", () => resolve(false)).end();
  });
}

async function fill(server: string): Promise<void> {
  using connection = await connectTo({ server, token });
  const create = (name: string) => connection.send("POST", path, { metadata: { name }, data: { text: "x".repeat(1_000) } });
  for (let i = 0; i < objects; i++) await create(`map-${i}`);
}

function mainThreadMs(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : undefined;
}

function nodeAlone(): number {
  const begun = performance.now();
  spawnSync(process.execPath, ["--eval", ""]);
  return performance.now() - begun;
}

function print(name: string, ms: readonly number[], cpu: readonly number[]): void {
  const at = (values: readonly number[], share: number) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
  console.log(JSON.stringify({ name, leastMs: at(ms, 0), medianMs: at(ms, 0.5), leastCpuMs: at(cpu, 0), medianCpuMs: at(cpu, 0.5) }));
}
