/**
 * The whole judgement in one go: the checks, then all tests. With arguments, only those test files or options:
 * `npm test -- packages/store/src/engine/tree.test.ts`.
 */
import { spawn } from "node:child_process";
import { runChecks } from "./checks/run-checks.ts";
import { root } from "./checks/tree.ts";

const chosen = process.argv.slice(2);
const everything = ["scripts/**/*.test.ts", "packages/*/src/**/*.test.ts", "examples/*.test.ts", "tests/**/*.test.ts"];

if (chosen.length === 0 && !(await runChecks())) process.exit(1);
/** What hangs fails by itself; builds of client programs in other languages take minutes where nothing is cached. */
const longest = "--test-timeout=1200000";
const tests = spawn(process.execPath, ["--test", longest, ...(chosen.length === 0 ? everything : chosen)], { cwd: root, stdio: "inherit" });
tests.on("exit", (code) => process.exit(code ?? 1));
