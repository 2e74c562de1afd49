/** What the tests of clients in Go share: a program is built once, and again only when its source changes. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, type TestOptions, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, run } from "./client-program.ts";
import { root, startCommand } from "./command-under-test.ts";

export interface GoProgram {
  /** Its folder beside this file: a module of its own, which pins the client it is about. */
  readonly folder: string;
  /** It prints one line for each; fewer fail the test. */
  readonly checks: number;
}

const go = await run("go", ["version"], { timeoutMs: hangMs });

/** Runs it against the real command, with the flag `-kubeconfig`. */
export function testGoProgram(name: string, { folder, checks }: GoProgram): void {
  testWithGoProgram(name, folder, async (t, program) => {
    const command = await startCommand("--ephemeral");
    t.after(() => command.stop());
    const env = { HOME: command.directory, TMPDIR: command.directory };
    assertAllOk(await run(program, ["-kubeconfig", command.kubeconfig], { cwd: command.directory, env, timeoutMs: hangMs }), checks);
  });
}

/** `body` gets the path of the program in `folder`; skipped where it cannot be built for want of Go or of a network. */
export function testWithGoProgram(name: string, folder: string, body: (t: TestContext, program: string) => Promise<void>): void {
  const options: TestOptions = { skip: go.code === 0 ? false : "Go is not installed", timeout: 10 * 60_000 };
  test(name, options, async (t) => {
    const program = await build(folder);
    if (program === undefined) t.skip(`${folder} needs modules, or a newer Go, that cannot be fetched here`);
    else await body(t, program);
  });
}

/** What Go says where it, or a module, is not to be had. */
const cannotFetch = /dial tcp|no such host|connection refused|i\/o timeout|module lookup disabled|toolchain not available|requires go >=/;

/** The program's path. Go itself knows whether what is there is still right; undefined when it cannot be built here. */
async function build(folder: string): Promise<string | undefined> {
  const cache = join(root, "node_modules/.cache/coxswain");
  mkdirSync(cache, { recursive: true });
  const program = join(cache, `${folder}-conformance`);
  const source = join(import.meta.dirname, folder);
  const { code, stderr } = await run("go", ["build", "-o", program, "."], { cwd: source, timeoutMs: 8 * 60_000 });
  if (code !== 0 && cannotFetch.test(stderr)) return undefined;
  assert.equal(code, 0, stderr);
  return program;
}
