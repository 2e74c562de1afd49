/**
 * Runs the micro-benchmarks, and where the load generator is beside the repository, drives the command with it:
 * durable, with everything on this machine. `npm run bench -- store` runs one; `npm run bench -- server -n 1000` passes
 * the rest on to the generator. What is printed counts with the commit and the machine that stand above it; `--save`
 * keeps it as results/COMMIT.json, so that a change can be compared with what was before.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { basename, join } from "node:path";
import { root, startCommand } from "../tests/conformance/command-under-test.ts";

const words = process.argv.slice(2);
const save = words.includes("--save");
const [chosen, ...args] = words.filter((word) => word !== "--save");
const machine = `node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`;
/** What was printed, by benchmark: JSON lines as objects, the load generator's table line by line. */
const results: Record<string, unknown[]> = {};
const generator = join(root, "..", "shared", "bench", "run.sh");
const micro = globSync("*.bench.ts", { cwd: import.meta.dirname }).sort();

console.log(`commit ${commit()}, ${machine}`);
for (const file of micro.filter((file) => chosen === undefined || chosen === basename(file, ".bench.ts"))) {
  console.log(`\n${file}`);
  await run(basename(file, ".bench.ts"), process.execPath, [join(import.meta.dirname, file), ...args]);
}
if (chosen === undefined || chosen === "server") await server();
if (save) keep();

function keep(): void {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${commit().replace(/ .*/, "")}.json`),
    `${JSON.stringify({ commit: commit(), machine, results }, undefined, 1)}\n`,
  );
}

function commit(): string {
  const git = (...words: readonly string[]): string => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : " with changes"}`;
}

async function server(): Promise<void> {
  console.log("\nserver");
  if (!existsSync(generator)) {
    console.log("skipped: the load generator is not beside the repository");
    return;
  }
  const data = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
  const command = await startCommand("--data-dir", data, "--log-level", "warn");
  try {
    await run("server", generator, [command.server, command.token, "-pids", String(command.process.pid), ...args]);
    process.stdout.write(command.log());
  } finally {
    await command.stop();
    rmSync(data, { recursive: true });
  }
}

function run(name: string, file: string, options: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, options, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk);
      text += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      results[name] = text
        .split("\n")
        .filter((line) => line !== "")
        .map(resultOf);
      if (code === 0) resolve();
      else reject(new Error(`${basename(file)} ended with ${code}`));
    });
  });
}

function resultOf(line: string): unknown {
  return line.startsWith("{") ? JSON.parse(line) : line.replace(/ +/g, " ");
}
