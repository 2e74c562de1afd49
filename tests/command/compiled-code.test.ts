/** Where the command keeps what V8 has compiled of it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../conformance/command-under-test.ts";

const script = `
import { getCompileCacheDir } from "node:module";
import { keepCompiledCode } from ${JSON.stringify(pathToFileURL(join(root, "packages/coxswain/bin/compiled-code.mjs")).href)};
keepCompiledCode(process.argv.slice(1));
console.log(getCompileCacheDir() ?? "none");
`;

/** The folder of Node's cache, below the home. */
function keptFor(home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const options = { encoding: "utf8", env: { PATH: process.env.PATH ?? "", HOME: home, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, "--", ...args], options);
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout.trim().replace(home, "~");
}

function homeFor(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), "home-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const cases: { readonly name: string; readonly args: string[]; readonly env?: Record<string, string>; readonly kept: RegExp }[] = [
  { name: "of a server is kept in the cache of the user", args: ["--port=0"], kept: /^~\/\.cache\/coxswain\/compiled\/server\/[^/]+$/ },
  { name: "of another command is kept apart from it", args: ["status"], kept: /^~\/\.cache\/coxswain\/compiled\/status\/[^/]+$/ },
  { name: "of what prints the version is not kept", args: ["--version"], kept: /^none$/ },
  { name: "of what prints help is not kept", args: ["kubelet", "--help"], kept: /^none$/ },
  { name: "is kept nowhere else for a name that is a path", args: ["../../x"], kept: /^~\/\.cache\/coxswain\/compiled\/server\/[^/]+$/ },
  {
    name: "is kept where XDG_CACHE_HOME says",
    args: [],
    env: { XDG_CACHE_HOME: "~/x" },
    kept: /^~\/x\/coxswain\/compiled\/server\/[^/]+$/,
  },
  { name: "is not kept where NODE_DISABLE_COMPILE_CACHE says so", args: [], env: { NODE_DISABLE_COMPILE_CACHE: "1" }, kept: /^none$/ },
];
for (const { name, args, env = {}, kept } of cases)
  test(`compiled code ${name}`, (t) => {
    const home = homeFor(t);
    const inHome = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.replace("~", home)]));
    assert.match(keptFor(home, args, inHome), kept);
  });

test("compiled code is kept where only this user reads and writes", (t) => {
  const home = homeFor(t);
  keptFor(home, []);
  assert.equal(statSync(join(home, ".cache/coxswain/compiled")).mode & 0o777, 0o700);
});

test("compiled code of a folder that others write is not used", (t) => {
  const home = homeFor(t);
  const folder = join(home, ".cache/coxswain/compiled");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  assert.equal(keptFor(home, []), "none");
  assert.deepEqual(readdirSync(folder), []);
});

test("a home that takes no files keeps none", (t) => {
  const home = homeFor(t);
  assert.equal(keptFor("/dev/null", []), "none");
  assert.ok(!existsSync(join(home, ".cache")));
});
