/** Projects in Go, as a user has them: outside of the repository, with modules from proxies. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { goProxyDir } from "../../scripts/build/kits/go-module.ts";
import { type Ran, type RunOptions, run } from "../conformance/client-program.ts";
import { strangersEnvironment } from "./empty-folder.ts";

export interface GoProject {
  readonly path: string;
  /** Goes through the temporary files of what it runs: its own, so that what stays behind can be seen. */
  readonly temporary: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  go(args: readonly string[], options?: Partial<RunOptions>): Promise<Ran>;
}

const { code, stdout } = await run("go", ["env", "GOPROXY"], { timeoutMs: 60_000 });
/** Why tests in Go are skipped. */
export const withoutGo = code === 0 ? false : "Go is not installed";

/** What Go says where it, or a module, is not to be had. */
const cannotFetch = /dial tcp|no such host|connection refused|i\/o timeout|module lookup disabled|toolchain not available|requires go >=/;

/** A copy of the folder that ends with the test. Go builds again only what has changed, and fetches what it does not have. */
export function goProject(t: TestContext, source: string, more: Readonly<Record<string, string>> = {}): GoProject {
  const [path, temporary] = ["project", "tmp"].map((name) => mkdtempSync(join(tmpdir(), `coxswain-go-${name}-`))) as [string, string];
  t.after(() => {
    for (const folder of [path, temporary]) rmSync(folder, { recursive: true, force: true });
  });
  cpSync(source, path, { recursive: true });
  const proxies = `file://${goProxyDir},${stdout.trim()}`;
  const ours = { GOPROXY: proxies, GONOSUMDB: "coxswain.dev", GOFLAGS: "-mod=mod", GOWORK: "off", TMPDIR: temporary };
  const env = { ...strangersEnvironment(), ...ours, ...more };
  return {
    path,
    temporary,
    env,
    go: (args, options) => run("go", args, { cwd: path, timeoutMs: 8 * 60_000, ...options, env: { ...env, ...options?.env } }),
  };
}

/** Fetches and compiles; false, and the test skipped, where something cannot be fetched. */
export async function compiles(t: TestContext, project: GoProject, program: string, folder = "."): Promise<boolean> {
  const { code, stderr } = await project.go(["test", "-c", "-o", program, folder]);
  if (code !== 0 && cannotFetch.test(stderr)) {
    t.skip(`modules, or a newer Go, cannot be fetched here: ${stderr.trim().split("\n").at(-1)}`);
    return false;
  }
  assert.equal(code, 0, stderr);
  return true;
}
