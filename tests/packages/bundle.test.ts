/** What bundlers make of the client and machinery for a page: only what is used, and nothing of Node. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { rolldown } from "rolldown";
import { type EmptyFolder, emptyFolder } from "./empty-folder.ts";

const cases = [
  { name: "a predicate of errors", code: 'export { isConflict } from "@coxswain/client";', limit: 20_000 },
  { name: "a client", code: 'export { createClient, fetchTransport } from "@coxswain/client";', limit: 100_000 },
  { name: "all of the client", code: 'export * from "@coxswain/client";', limit: 300_000 },
  { name: "all of machinery but YAML", code: 'export * from "@coxswain/machinery";', limit: 200_000 },
];

test("bundled for a page", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["@coxswain/client"] });
  for (const { name, code, limit } of cases)
    await t.test(`${name} takes less than ${limit / 1000} kB, and needs nothing of Node`, async (t) => {
      const { bytes, external } = await bundle(folder, code);
      t.diagnostic(`${bytes} bytes`);
      assert.deepEqual(external, []);
      assert.ok(bytes < limit, `${bytes} bytes`);
    });
  await t.test("what is imported for nothing leaves nothing", async () => {
    assert.equal((await bundle(folder, 'import "@coxswain/client"; import "@coxswain/machinery";')).bytes, 0);
  });
});

/** `sideEffects: false` says so; here it is tried. */
test("to import a package changes nothing outside of it", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  folder.write("import.mjs", importing);
  const { code, stdout, stderr } = await folder.run(process.execPath, ["import.mjs"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), []);
});

const importing = `
const names = ["client", "grpc", "client/node", "machinery", "api", "apiserver", "apply", "cel", "controllers", "history", "kubelet", "pki", "pki/node",
  "network-policy", "proxy", "scheduler", "schema", "store", "store/etcd", "store/transfer"].map((name) => "@coxswain/" + name).concat("coxswain", "coxswain/testing");
const builtIn = Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]])
  .filter(([name, value]) => typeof value === "function" && value.prototype !== undefined && name !== "process")
  .flatMap(([name, value]) => [[name, value], [name + ".prototype", value.prototype]]);
const seen = () => new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...builtIn.flatMap(([name, value]) => Reflect.ownKeys(value).map((key) => name + "." + String(key))),
  ...process.eventNames().map((name) => "process: " + String(name) + " " + process.listenerCount(name)),
  ...process.getActiveResourcesInfo().filter((name) => name !== "CloseReq").map((name) => "active: " + name),
]);
const changed = [];
for (const name of names) {
  const before = seen();
  await import(name);
  changed.push(...[...seen()].filter((what) => !before.has(what)).map((what) => name + " " + what));
}
console.log(JSON.stringify(changed));
`;

/** `external`: what would have to be there beside the bundle. */
async function bundle(
  { path, write }: EmptyFolder,
  code: string,
): Promise<{ readonly bytes: number; readonly external: readonly string[] }> {
  write("entry.js", code);
  await using build = await rolldown({
    cwd: path,
    input: join(path, "entry.js"),
    platform: "browser",
    onwarn: ({ message }) => assert.fail(message),
  });
  const { output } = await build.generate({ format: "esm" });
  const chunks = output.filter((file) => file.type === "chunk");
  const [first] = chunks;
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const external = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]).filter((name) => !own.has(name));
  return { bytes: first?.code.trim().length ?? 0, external };
}
