/** The client, machinery and `coxswain/testing` in Bun and Deno. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { type Installed, installed, run } from "../conformance/client-program.ts";
import { emptyFolder } from "./empty-folder.ts";
import { startInstalled } from "./installed-command.ts";
import { thisNode } from "./installed-node.ts";

interface Runtime {
  readonly name: string;
  /** What npm's registry has it as, for 64-bit Linux on Intel. */
  readonly source: string;
  readonly program: string;
  /** Before the name of a file. */
  readonly args: readonly string[];
}

const runtimes: readonly Runtime[] = [
  { name: "Bun", source: "@oven/bun-linux-x64@1.4.5", program: "@oven/bun-linux-x64/bin/bun", args: [] },
  {
    name: "Deno",
    source: "@deno/linux-x64-glibc@2.9.6",
    program: "@deno/linux-x64-glibc/deno",
    args: ["run", "--allow-all", "--no-check"],
  },
];

const client = `
import { configMaps, isConflict, isNotFound } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { parseQuantity } from "@coxswain/machinery";

const client = await clientFromKubeconfig();
const maps = client.resource(configMaps, "default");
const name: string = process.argv[2] ?? "";
const watched = (async () => {
  const types: string[] = [];
  for await (const event of maps.watch({ fieldSelector: "metadata.name=" + name, signal: AbortSignal.timeout(60_000) })) {
    if (event.type !== "BOOKMARK") types.push(event.type);
    if (event.type === "DELETED") return types;
  }
})();
const read = await maps.create({ metadata: { name }, data: { course: "north" } });
await maps.patch(name, { type: "merge", patch: { data: { course: "west" } } });
const lost = await maps.update({ ...read, data: { course: "south" } }).catch(isConflict);
const { data } = await maps.get(name);
const { items } = await maps.list({ fieldSelector: "metadata.name=" + name });
await maps.delete(name);
const gone = await maps.get(name).catch(isNotFound);
const types = (await watched) ?? [];
await client[Symbol.asyncDispose]();
console.log(JSON.stringify({ lost, data, items: items.length, gone, last: types.at(-1), memory: parseQuantity("1Ki") !== undefined }));
`;

const cluster = `
import { deployments } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

const cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
const parts = await cluster.run({ controllers: true, scheduler: true, nodes: 1 });
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
await cluster.client.resource(deployments).create({
  metadata: { name: "web" },
  spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
});
const { status } = await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === 2);
console.log(status?.readyReplicas);
await parts[Symbol.asyncDispose]();
await cluster[Symbol.asyncDispose]();
`;

test("other runtimes than Node", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  folder.write("client.ts", client);
  folder.write("cluster.ts", cluster);
  await using command = await startInstalled(folder, ["--apiserver-only"], thisNode());
  for (const runtime of runtimes) {
    const found = await installedRuntime(runtime);
    const skip = "missing" in found && found.missing;
    const program = "missing" in found ? "" : join(found.folder, "node_modules", runtime.program);
    const runFile = async (file: string, ...args: readonly string[]): Promise<string> => {
      const options = { env: { KUBECONFIG: command.kubeconfig, NO_COLOR: "1" } };
      const { code, stdout, stderr } = await folder.run(program, [...runtime.args, file, ...args], options);
      assert.equal(code, 0, `${stdout}${stderr}`);
      return stdout.trim();
    };
    await t.test(`${runtime.name}: the client talks to a server`, { skip }, async () => {
      const expected = { lost: true, data: { course: "west" }, items: 1, gone: true, last: "DELETED", memory: true };
      assert.deepEqual(JSON.parse(await runFile("client.ts", runtime.name.toLowerCase())), expected);
    });
    await t.test(`${runtime.name}: a cluster runs in a program`, { skip }, async () => assert.equal(await runFile("cluster.ts"), "2"));
  }
});

async function installedRuntime({ name, source }: Runtime): Promise<Installed> {
  if (process.platform !== "linux" || process.arch !== "x64") return { missing: `no ${name} for ${process.platform} ${process.arch}` };
  return installed({
    name: name.toLowerCase(),
    inputs: [source],
    install(folder) {
      const args = ["install", "--prefix", folder, "--no-save", "--ignore-scripts", "--prefer-offline", source];
      return run("npm", args, { cwd: folder, timeoutMs: 5 * 60_000 });
    },
  });
}
