/**
 * The whole judgement in one go: the checks, then the tests that need nothing but npm; with `--all` those that need more,
 * too, and every row of matrices of which otherwise a sample is tried. With other arguments, only those test files or
 * options: `npm test -- packages/store/src/engine/tree.test.ts`.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runChecks } from "./checks/run-checks.ts";
import { root } from "./checks/tree.ts";
import { testFiles } from "./test-files.ts";

const all = process.argv.includes("--all");
const chosen = process.argv.slice(2).filter((argument) => argument !== "--all");

if (chosen.length === 0 && !(await runChecks())) process.exit(1);
const options = [
  // What hangs fails by itself; builds of client programs in other languages take long where nothing is cached.
  "--test-timeout=1800000",
  // Node's own choice leaves one core idle.
  `--test-concurrency=${availableParallelism()}`,
];
const files = chosen.length === 0 ? testFiles({ all, entries: join(root, ".cache", "tests") }) : chosen;
const env = { ...process.env, ...(all ? { COXSWAIN_TESTS: "all" } : {}) };
const tests = spawn(process.execPath, ["--test", ...options, ...files], { cwd: root, stdio: "inherit", env });
tests.on("exit", (code) => process.exit(code ?? 1));
