/** The single executable, where no Node and no module of ours is. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { configMaps, deployments, events, pods } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { waitUntil } from "@coxswain/machinery/testing";
import { run } from "../conformance/client-program.ts";
import { builtExecutable } from "./built-executable.ts";
import { type StartedProgram, startProgram } from "./started-program.ts";

let executable: string;
before(async () => {
  executable = await builtExecutable();
});

test("prints its version, and the licences of all that is in it", async () => {
  const timeoutMs = 60_000;
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../packages/coxswain/package.json"), "utf8"));
  assert.deepEqual(await run(executable, ["--version"], { timeoutMs }), { code: 0, stdout: `${version}\n`, stderr: "" });
  const { stdout } = await run(executable, ["licences"], { timeoutMs });
  for (const part of ["Apache License", "Node.js is licensed for use as follows", "ICU", "commander ", "pino ", "ws "])
    assert.ok(stdout.includes(part), `no ${part}`);
  assert.equal((await run(executable, ["--licences"], { timeoutMs })).stdout, stdout);
});

test("serves from a data directory, and requests that are heavy in a thread of their own", async (t) => {
  const { kubeconfig, program, directory } = await startServer(t, "--no-node");
  await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
  const long = "x".repeat(200_000);
  const made = await client.resource(configMaps, "default").create({ metadata: { name: "long" }, data: { long } });
  assert.equal(made.data?.long, long);
  // The thread for heavy requests gives way to the others.
  if (process.platform === "linux") assert.ok(niceOfThreads(program.process.pid).includes(5));
  assert.equal(await program.stop(), 0, program.output());
  assert.doesNotMatch(program.output(), /"level":"(warn|error)"/);
  const again = startProgram(t, executable, ["--port=0", `--data-dir=${directory}/data`, `--kubeconfig=${kubeconfig}`, "--no-node"]);
  await again.printed(/at https:/);
  await using reader = await clientFromKubeconfig({ paths: [kubeconfig] });
  assert.equal((await reader.resource(configMaps, "default").get("long")).data?.long, long);
  const answered = async (path: string): Promise<string> => {
    const response = await reader.transport.send({ method: "GET", path, headers: {} });
    assert.equal(response.status, 200, path);
    return Buffer.from(await response.bytes()).toString();
  };
  const { items } = JSON.parse(await answered("/coxswain/v1/history/api/v1/namespaces/default/configmaps/long"));
  assert.deepEqual([items.length, items[0].verb], [1, "create"]);
  assert.match(await answered("/coxswain/ui/"), /<script type="module" src="main.js">/);
  assert.match(await answered("/coxswain/ui/main.js"), /timeline/);
});

test("keeps history, checks invariants, and has the timeline's page", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const invariants = join(folder, "invariants.yaml");
  writeFileSync(invariants, invariantsFile);
  const { kubeconfig, program, directory } = await startServer(t, "--no-node", `--invariants=${invariants}`);
  await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
  const maps = client.resource(configMaps, "default");
  await maps.create({ metadata: { name: "m" }, data: { n: "2" } });
  const fell = await maps.patch("m", { type: "merge", patch: { data: { n: "1" } } });
  const ask = async (path: string): Promise<string> => {
    const { status, bytes } = await client.transport.send({ method: "GET", path, headers: {} });
    const text = Buffer.from(await bytes()).toString();
    assert.equal(status, 200, `${path}: ${text}\n${program.output()}`);
    return text;
  };
  const { items } = JSON.parse(await ask("/coxswain/v1/history/api/v1/namespaces/default/configmaps/m"));
  assert.deepEqual([items.length, items[0].changes[0].to], [2, "1"]);
  assert.ok(readdirSync(join(directory, "data")).includes("history.db"));
  assert.match(await ask("/coxswain/ui/"), /<!doctype html>/i);
  assert.match(await ask("/coxswain/ui/main.js"), /coxswain|timeline/);
  assert.match(await ask("/coxswain/ui/page.css"), /\{/);
  await orOutput([program], "the violation to be found", async () => {
    const { violations } = JSON.parse(await ask("/coxswain/v1/invariants"));
    return violations[0]?.first.resourceVersion === fell.metadata?.resourceVersion;
  });
  const at = await run(executable, ["history", `--kubeconfig=${kubeconfig}`, "configmap", "m"], { timeoutMs: 60_000 });
  assert.match(at.stdout, /~ \.data\.n: "2" → "1"/, at.stderr);
  assert.equal(await program.stop(), 0, program.output());
});

const invariantsFile = `apiVersion: coxswain/v1
kind: InvariantConfiguration
invariants:
- name: it-grows
  matchResources:
    resourceRules:
    - { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], resourceNames: ["m"] }
  expression: oldObject == null || int(object.data.n) >= int(oldObject.data.n)
`;

test("has the page of the races, and a thread for these", async (t) => {
  const { kubeconfig, program } = await startServer(t, "--no-node");
  await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
  const send = async (method: "GET" | "POST" | "DELETE", path: string, body?: object) => {
    const json = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
    const answer = await client.request({ method, path, headers: { "content-type": "application/json" }, ...json });
    return Buffer.from(await answer.bytes()).toString();
  };
  for (const name of ["races.html", "races.css", "races.js"]) assert.ok((await send("GET", `/coxswain/ui/${name}`)).length > 500, name);
  const race = JSON.parse(await send("POST", "/coxswain/v1/races", { race: "pod" }));
  const path = `/coxswain/v1/races/${race.metadata.name}`;
  const { steps } = JSON.parse(await send("POST", `${path}/steps`, { action: "scheduler-request" }));
  assert.match(steps[0].summary, /scheduler binds it to node-1/);
  await send("DELETE", path);
  assert.equal(await program.stop(), 0, program.output());
  assert.doesNotMatch(program.output(), /"level":"(warn|error)"/);
});

/** What a user writes: its import is of the executable's own modules, in the version that runs the plugin. */
const plugin = `
import { type PluginFactory, unschedulableAndUnresolvable } from "@coxswain/scheduler";
const underRepair = unschedulableAndUnresolvable("node(s) were under repair");
const repairs: PluginFactory = () => ({
  name: "Repairs",
  events: [],
  filter: (_state, pod) => (pod.labels.careful === "true" ? underRepair : undefined),
});
export default { plugins: { Repairs: repairs }, profiles: [{ plugins: { multiPoint: { enabled: [{ name: "Repairs" }] } } }] };
`;

test("controllers, a scheduler with a plugin of the user's own, and nodes run as processes of the same executable", async (t) => {
  const { kubeconfig, directory } = await startServer(t, "--apiserver-only");
  const config = join(directory, "scheduler.ts");
  writeFileSync(config, plugin);
  const commands = [
    ["controllers"],
    ["scheduler", `--config=${config}`],
    ["kubelet", "--runtime=simulated", `--root-dir=${directory}/kubelet`],
  ].map((args) => startProgram(t, executable, [...args, `--kubeconfig=${kubeconfig}`]));
  await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
  const labels = { app: "web" };
  const container = { name: "web", image: "web:1" };
  await client.resource(deployments, "default").create({
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  });
  await orOutput(commands, "the Deployment to be available", async () => {
    const { status } = await client.resource(deployments, "default").get("web");
    return status?.availableReplicas === 2;
  });
  await client.resource(pods, "default").create({
    metadata: { name: "careful", labels: { careful: "true" } },
    spec: { containers: [container], automountServiceAccountToken: false },
  });
  await orOutput(commands, "the plugin to be asked", async () => {
    const { items } = await client.resource(events, "default").list();
    return items.some(({ message }) => message?.includes("1 node(s) were under repair"));
  });
  for (const command of commands) assert.equal(await command.stop(), 0, command.output());
});

test("its kubelet speaks to a container runtime", async (t) => {
  const { kubeconfig, directory } = await startServer(t, "--no-node");
  const called: unknown[] = [];
  const runtime = createServer();
  runtime.on("stream", (stream: ServerHttp2Stream, headers) => {
    called.push(headers[":path"]);
    stream.on("error", () => undefined);
    // UNIMPLEMENTED, as a runtime of another version says.
    stream.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "12" }, { endStream: true });
  });
  const socket = join(directory, "runtime.sock");
  await once(runtime.listen(socket), "listening");
  t.after(() => runtime.close());
  const kubelet = startProgram(t, executable, [
    "kubelet",
    "--runtime=cri",
    `--container-runtime-endpoint=${socket}`,
    `--root-dir=${directory}/kubelet`,
    `--kubeconfig=${kubeconfig}`,
  ]);
  await orOutput([kubelet], "the runtime to be asked", () => called.includes("/runtime.v1.RuntimeService/Version"));
});

/** What a user writes: its imports are of the executable's own modules. */
const painter = `
import { configMaps, controller, done, type KubeObject } from "@coxswain/client";
export default controller<KubeObject>({
  name: "painter",
  for: configMaps,
  reconcile: async (_ref, { object, client, signal }) => {
    if (object?.metadata?.name === "wall") await client.resource(configMaps).patch("wall", { type: "merge", patch: { data: { colour: "blue" } } }, { signal });
    return done;
  },
});
`;

test("records, shows a recording, and runs a controller of the user's own against it", async (t) => {
  const { kubeconfig, directory } = await startServer(t, "--no-node");
  await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
  await client.resource(configMaps, "default").create({ metadata: { name: "wall" }, data: { colour: "red" } });
  const file = join(directory, "bug.cox");
  const recorded = await run(executable, ["record", `--kubeconfig=${kubeconfig}`, "--out", file, "--since=1h"], { timeoutMs: 60_000 });
  assert.equal(recorded.code, 0, recorded.stderr);
  const replay = startProgram(t, executable, ["replay", file]);
  const [, link = ""] = await replay.printed(/until Ctrl-C\): (\S+)/);
  const opened = await fetch(link, { redirect: "manual" });
  const page = await fetch(new URL("/coxswain/ui/", link), { headers: { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" } });
  assert.match(await page.text(), /<meta name="coxswain-recorded-until" content="\d+">/);
  assert.equal(await replay.stop(), 0, replay.output());
  writeFileSync(join(directory, "painter.ts"), painter);
  const against = await run(executable, ["replay", file, "--against", join(directory, "painter.ts"), "--as=coxswain-admin"], {
    timeoutMs: 60_000,
  });
  assert.equal(against.code, 0, against.stderr);
  assert.match(against.stdout, /^- .*create configmaps default\/wall$/m);
});

interface Server {
  readonly kubeconfig: string;
  readonly directory: string;
  readonly program: StartedProgram;
}

async function startServer(t: TestContext, ...options: readonly string[]): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, "kubeconfig");
  const program = startProgram(t, executable, ["--port=0", `--data-dir=${directory}/data`, `--kubeconfig=${kubeconfig}`, ...options]);
  await program.printed(/at https:/);
  return { kubeconfig, directory, program };
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const niceOfThreads = (pid = 0): number[] =>
  readdirSync(`/proc/${pid}/task`).map((task) =>
    Number(
      readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[16],
    ),
  );

/** Says what the programs printed when it does not become so. */
async function orOutput(programs: readonly StartedProgram[], what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  try {
    await waitUntil(what, isSo);
  } catch (error) {
    throw new Error(programs.map((program) => program.output()).join("\n"), { cause: error });
  }
}
