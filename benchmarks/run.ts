/**
 * Runs the benchmarks, each in a process of its own. `npm run bench -- store` runs one; `npm run bench -- server -n 1000`
 * passes the rest on to it. What is printed counts with the commit and the machine that stand above it; `--save`
 * keeps it as results/COMMIT.json, so that a change can be compared with what was before.
 */
import { execFileSync, spawn } from "node:child_process";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { basename, join } from "node:path";
import { root } from "../tests/conformance/command-under-test.ts";

const words = process.argv.slice(2);
const save = words.includes("--save");
const [chosen, ...args] = words.filter((word) => word !== "--save");
const machine = `node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`;
/** What was printed, by benchmark: JSON lines as objects, the server's table line by line. */
const results: Record<string, unknown[]> = {};
const files = globSync("*.bench.ts", { cwd: import.meta.dirname })
  .sort()
  .filter((file) => chosen === undefined || chosen === basename(file, ".bench.ts"));
if (files.length === 0) throw new Error(`there is no benchmark ${chosen}`);

// What users start.
execFileSync(process.execPath, [join(root, "scripts/build/command/make-bundle.ts")], { stdio: "inherit" });
console.log(`commit ${commit()}, ${machine}`);
for (const file of files) {
  console.log(`\n${file}`);
  await run(file);
}
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

function run(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk);
      text += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      results[basename(file, ".bench.ts")] = text
        .split("\n")
        .filter((line) => line !== "")
        .map(resultOf);
      if (code === 0) resolve();
      else reject(new Error(`${file} ended with ${code}`));
    });
  });
}

function resultOf(line: string): unknown {
  return line.startsWith("{") ? JSON.parse(line) : line.replace(/ +/g, " ");
}
