/**
 * The whole judgement in one go: the checks, then the tests that need nothing but npm; with `--all` those that need more,
 * too, and every row of matrices of which otherwise a sample is tried. With other arguments, only those test files, folders or
 * options: `npm test -- packages/store/src/engine/tree.test.ts`. With `COXSWAIN_STORE=etcd` the servers of tests have their state in etcd.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runChecks } from "./checks/run-checks.ts";
import { root } from "./checks/tree.ts";
import { chosenFiles, testFiles } from "./test-files.ts";
import { etcdForTests } from "./test-store.ts";

const all = process.argv.includes("--all");
const chosen = process.argv.slice(2).filter((argument) => argument !== "--all");

if (chosen.length === 0 && !(await runChecks())) process.exit(1);
const options = [
  // What hangs fails by itself; builds of client programs in other languages take long where nothing is cached.
  "--test-timeout=1800000",
  // Node's own choice leaves one core idle.
  `--test-concurrency=${availableParallelism()}`,
];
// Of this run alone: a test may run others.
const entries = join(root, ".cache", "tests", String(process.pid));
const files = chosen.length === 0 ? testFiles({ all, entries }) : chosenFiles(chosen, { all, entries });
{
  await using etcd = await etcdForTests({ all });
  // What somebody has just written is what is tried.
  const env = { ...process.env, COXSWAIN_FROM_SOURCES: "1", ...etcd.env, ...(all ? { COXSWAIN_TESTS: "all" } : {}) };
  const tests = spawn(process.execPath, ["--test", ...options, ...files], { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => tests.kill(signal));
  const [code] = (await once(tests, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
rmSync(entries, { recursive: true, force: true });
