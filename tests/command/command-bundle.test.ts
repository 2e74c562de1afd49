/** The bundle that `npm start` makes, and when the command starts from it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { configMaps } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs } from "@coxswain/machinery/testing";
import { mainFile, root } from "../conformance/command-under-test.ts";

interface Bundles {
  readonly bundlesFolder: string;
  stampOf(path: string): string | undefined;
  freshBundle(): string | undefined;
}

/** As in a clone that has these files and no others. */
async function bundlesIn(folder: string): Promise<Bundles> {
  const bin = join(folder, "packages/coxswain/bin");
  mkdirSync(bin, { recursive: true });
  cpSync(join(root, "packages/coxswain/bin/command-bundle.mjs"), join(bin, "command-bundle.mjs"));
  return (await import(pathToFileURL(join(bin, "command-bundle.mjs")).href)) as Bundles;
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "command-bundle-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const changes: { readonly name: string; readonly change: (folder: string, bundles: Bundles) => void; readonly isFresh: boolean }[] = [
  { name: "is used while its sources are what they were", change: () => undefined, isFresh: true },
  { name: "is not used once a source has changed", change: (folder) => appendFileSync(join(folder, "a.ts"), "//"), isFresh: false },
  { name: "is not used once a source is gone", change: (folder) => rmSync(join(folder, "a.ts")), isFresh: false },
  {
    name: "is not used where its description is cut off",
    change: (_, { bundlesFolder }) => writeFileSync(join(bundlesFolder, "current.json"), '{"folder":"f","inpu'),
    isFresh: false,
  },
];
for (const { name, change, isFresh } of changes)
  test(`the bundle ${name}`, async (t) => {
    const folder = folderFor(t);
    writeFileSync(join(folder, "a.ts"), "export {};");
    const bundles = await bundlesIn(folder);
    assert.equal(bundles.freshBundle(), undefined);
    mkdirSync(bundles.bundlesFolder, { recursive: true });
    const description = { folder: "f", inputs: { "a.ts": bundles.stampOf("a.ts") } };
    writeFileSync(join(bundles.bundlesFolder, "current.json"), JSON.stringify(description));
    change(folder, bundles);
    assert.equal(bundles.freshBundle(), isFresh ? join(bundles.bundlesFolder, "f") : undefined);
  });

/** Its import is of what the command that loads it has of our packages. */
const plugin = `
import { createRequire } from "node:module";
import * as scheduler from "@coxswain/scheduler";
const require = createRequire(import.meta.url);
const file = Object.keys(require.cache).find((path) => path.endsWith("/package-scheduler.js"));
console.error("shared: " + (scheduler.unschedulable === require.cache[file]?.exports.unschedulable && require("@coxswain/scheduler") === require.cache[file].exports));
export default {};
`;

test("two that make the bundle at once both end well, and a server starts from it", { timeout: hangMs }, async (t) => {
  const make = async (): Promise<unknown> => {
    const child = spawn(process.execPath, [join(root, "scripts/build/command/make-bundle.ts")], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    return (await once(child, "exit"))[0];
  };
  assert.deepEqual(await Promise.all([make(), make()]), [0, 0]);
  const folder = folderFor(t);
  writeFileSync(join(folder, "plugin.mjs"), plugin);
  // Two threads, so that threads are of the bundle, too; the second reads the configuration again.
  const options = ["--ephemeral", "--port=0", `--kubeconfig=${join(folder, "kubeconfig")}`, "--runtime=simulated", "--threads=2"];
  const args = [mainFile, ...options, `--scheduler-config=${join(folder, "plugin.mjs")}`, "--log-level=info", "--stop-on-stdin-close"];
  const child = spawn(process.execPath, args, { env: { ...process.env, COXSWAIN_FROM_SOURCES: "0" }, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let printed = "";
  for await (const chunk of child.stderr) {
    printed += String(chunk);
    if (printed.includes("nodes ready") && printed.includes('"component":"scheduler"')) child.stdin.end();
  }
  assert.equal(child.exitCode ?? (await once(child, "exit"))[0], 0, printed);
  assert.deepEqual(printed.match(/shared: \w+/g), ["shared: true", "shared: true"], printed);
  assert.doesNotMatch(printed, /"level":"(warn|error)"/);
});

test("a server from the bundle keeps history in its thread, and has the timeline's page", { timeout: hangMs }, async (t) => {
  const making = spawn(process.execPath, [join(root, "scripts/build/command/make-bundle.ts")], { stdio: ["ignore", "inherit", "inherit"] });
  assert.equal((await once(making, "exit"))[0], 0);
  const folder = folderFor(t);
  const kubeconfig = join(folder, "kubeconfig");
  const args = [mainFile, "--apiserver-only", "--port=0", `--data-dir=${join(folder, "data")}`, `--kubeconfig=${kubeconfig}`];
  const child = spawn(process.execPath, [...args, "--log-level=info", "--stop-on-stdin-close"], {
    env: { ...process.env, COXSWAIN_FROM_SOURCES: "0" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  for await (const chunk of child.stdout) if (String(chunk).includes("Ctrl-C")) break;
  {
    await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
    const ask = async (path: string): Promise<string> => {
      const { status, bytes } = await client.transport.send({ method: "GET", path, headers: {} });
      const text = Buffer.from(await bytes()).toString();
      assert.equal(status, 200, `${path}: ${text}\n${printed}`);
      return text;
    };
    await client.resource(configMaps, "default").create({ metadata: { name: "m" }, data: { n: "1" } });
    const { items } = JSON.parse(await ask("/coxswain/v1/history/api/v1/namespaces/default/configmaps/m"));
    assert.equal(items.length, 1);
    assert.match(await ask("/coxswain/ui/"), /<!doctype html>/i);
    assert.match(await ask("/coxswain/ui/main.js"), /timeline/);
    assert.match(await ask("/coxswain/ui/page.css"), /\{/);
  }
  assert.ok(existsSync(join(folder, "data/history.db")));
  child.stdin.end();
  assert.equal(child.exitCode ?? (await once(child, "exit"))[0], 0, printed);
  assert.doesNotMatch(printed, /"level":"(warn|error)"/);
});
