/**
 * Runs the micro-benchmarks, and where the load generator is beside the repository, drives the command with it:
 * durable, with everything on this machine. `npm run bench -- store` runs one; `npm run bench -- server -n 1000` passes
 * the rest on to the generator. What is printed counts with the commit and the machine that stand above it.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { basename, join } from "node:path";
import { root, startCommand } from "../tests/conformance/command-under-test.ts";

const [chosen, ...args] = process.argv.slice(2);
const generator = join(root, "..", "shared", "bench", "run.sh");
const micro = globSync("*.bench.ts", { cwd: import.meta.dirname }).sort();

console.log(
  `commit ${commit()}, node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`,
);
for (const file of micro.filter((file) => chosen === undefined || chosen === basename(file, ".bench.ts"))) {
  console.log(`\n${file}`);
  await run(process.execPath, [join(import.meta.dirname, file), ...args]);
}
if (chosen === undefined || chosen === "server") await server();

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
    await run(generator, [command.server, command.token, "-pids", String(command.process.pid), ...args]);
    process.stdout.write(command.log());
  } finally {
    await command.stop();
    rmSync(data, { recursive: true });
  }
}

function run(file: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, { stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${basename(file)} ended with ${code}`))));
  });
}
