/** Controllers, scheduler and nodes in threads of their own, as the command runs them. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Client, deployments, leases, pods, replicaSets } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";

const namespace = "default";
const replicas = 60;

/** With what its process is started besides. */
async function startWith(nodeOptions: string, ...options: readonly string[]): Promise<CommandUnderTest> {
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ""} ${nodeOptions}`;
  try {
    return await startCommand(...options);
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
}

const probe = `--import=${new URL("./end-thread.ts", import.meta.url)}`;

async function textAt(client: Client, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await client.transport.send({ method: "GET", path, headers: {} });
  return { status: answer.status, text: Buffer.from(await answer.bytes()).toString() };
}

const healthy = (client: Client): Promise<unknown> =>
  waitUntil("all components are healthy", async () => (await textAt(client, "/healthz")).status === 200);

async function restarts(client: Client): Promise<number> {
  const { text } = await textAt(client, "/metrics");
  const values = text.matchAll(/^coxswain_component_thread_restarts_total\{[^}]*\} (\d+)$/gm);
  return Array.from(values, ([, value]) => Number(value)).reduce((sum, one) => sum + one, 0);
}

/** How many watches of all objects of a resource there are. */
async function watches(client: Client, resource: string): Promise<number> {
  const { text } = await textAt(client, "/metrics");
  const [, count] =
    new RegExp(`^apiserver_longrunning_requests\\{verb="WATCH",[^}]*resource="${resource}",[^}]*scope="cluster"[^}]*\\} (\\d+)$`, "m").exec(
      text,
    ) ?? [];
  return Number(count);
}

test("the components of a thread share one copy of what they follow", { timeout: hangMs }, async (t) => {
  for (const [threads, copies] of [
    ["1", 1],
    ["2", 1],
    ["3", 2],
  ] as const) {
    const command = await startCommand("--ephemeral", "--runtime=simulated", "--nodes=2", `--threads=${threads}`);
    t.after(() => command.stop());
    await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
    await healthy(client);
    await waitUntil("the garbage collector has found what there is", async () => (await watches(client, "podtemplates")) === 1);
    assert.deepEqual([await watches(client, "pods"), await watches(client, "nodes")], [copies, copies], `--threads=${threads}`);
    assert.match((await textAt(client, "/metrics")).text, /^rest_client_requests_total\{code="200",method="GET"\} [1-9]/m);
  }
});

const isLinux = process.platform === "linux";

test("where processors are few the server goes before its components", {
  skip: !isLinux && "threads have no priorities",
  timeout: hangMs,
}, async (t) => {
  const command = await startCommand("--ephemeral", "--runtime=simulated", "--threads=3");
  t.after(() => command.stop());
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await healthy(client);
  const { pid = 0 } = command.process;
  const own = getPriority(pid);
  const lower = () => readdirSync(`/proc/${pid}/task`).filter((thread) => getPriority(Number(thread)) > own).length;
  await waitUntil("both threads have started", () => lower() === 2);
});

const deployment = {
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } },
  },
};

test("a thread that ends while a Deployment rolls out is started again, and nothing is made twice", { timeout: hangMs }, async (t) => {
  const command = await startWith(probe, "--ephemeral", "--runtime=simulated", "--nodes=3", "--threads=2");
  t.after(() => command.stop());
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await healthy(client);
  const created = new Set<string>();
  const bound = new Map<string, Set<string>>();
  const stop = new AbortController();
  const watching = (async () => {
    for await (const event of client.resource(pods, namespace).watch({ signal: stop.signal })) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const { metadata, spec } = event.object;
      const uid = metadata?.uid ?? "";
      created.add(uid);
      if (spec?.nodeName !== undefined) bound.set(uid, (bound.get(uid) ?? new Set()).add(spec.nodeName));
    }
  })();
  await client.resource(deployments, namespace).create(deployment);
  for (const [part, times] of [
    [0.2, 1],
    [0.6, 2],
  ] as const) {
    await waitUntil("a part of the Pods", () => created.size >= part * replicas);
    command.process.kill("SIGUSR2");
    await waitUntil("the thread is started again", async () => (await restarts(client)) === times);
    await healthy(client);
  }
  const available = async (): Promise<boolean> =>
    (await client.resource(deployments, namespace).get("web")).status?.availableReplicas === replicas;
  await waitUntil("the rollout is complete", available);
  const [{ items }, sets] = await Promise.all([client.resource(pods, namespace).list(), client.resource(replicaSets, namespace).list()]);
  assert.equal(items.length, replicas);
  assert.equal(created.size, replicas, "no Pod was made that is gone");
  assert.equal(sets.items.length, 1);
  assert.deepEqual(new Set(Array.from(bound.values(), (nodes) => nodes.size)), new Set([1]));
  assert.match(command.log(), /"error":\{"type":"RangeError","message":"the test ends this thread".*restarting it"/);
  assert.match(command.log(), /the thread has ended with 7.*restarting it"/);
  stop.abort();
  await watching.catch(() => undefined);
});

test("figures, health and decisions of components come out of their threads", { timeout: hangMs }, async (t) => {
  const command = await startCommand("--ephemeral", "--runtime=simulated", "--nodes=2", "--threads=3");
  t.after(() => command.stop());
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await healthy(client);
  await client.resource(pods, namespace).create({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "c" }] } });
  await waitUntil("the Pod runs", async () => (await client.resource(pods, namespace).get("p")).status?.phase === "Running");
  const { text: metrics } = await textAt(client, "/metrics");
  const figures = [
    /^coxswain_component_thread_restarts_total\{components="controllers,scheduler"\} 0$/m,
    /^coxswain_component_thread_restarts_total\{components="nodes"\} 0$/m,
    /^scheduler_schedule_attempts_total\{.*scheduled.*\} 1$/m,
    /^workqueue_adds_total\{.*service-?account.*\} [1-9]/m,
  ];
  for (const figure of figures) assert.ok(figure.test(metrics), String(figure));
  const { text: checks } = await textAt(client, "/healthz?verbose");
  for (const name of ["controllers", "scheduler", "nodes"]) assert.match(checks, new RegExp(`^\\[\\+\\]${name} ok$`, "m"));
  const { status, text } = await textAt(client, "/coxswain/v1/scheduling/default/p");
  assert.equal(status, 200, text);
  assert.match(text, /node-/);
  const { text: logs } = await textAt(client, "/api/v1/namespaces/default/pods/p/log");
  assert.doesNotMatch(logs, /dial tcp|x509|certificate/);
});

test("a stop ends the threads in order: leases are given back, and profiles written", { timeout: hangMs }, async (t) => {
  const folder = temporary(t);
  const [profiles, dataDir] = [join(folder, "profiles"), join(folder, "data")];
  const options = ["--runtime=simulated", "--threads=2", "--leader-elect", `--data-dir=${dataDir}`];
  const command = await startWith(`--cpu-prof --cpu-prof-dir=${profiles}`, ...options);
  t.after(() => command.stop());
  const client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await healthy(client);
  for (const holder of await holdersOf(client)) assert.ok(holder);
  await client[Symbol.asyncDispose]();
  assert.equal(await command.stop(), 0);
  assert.doesNotMatch(command.log(), /"level":"error"/);
  const threads = readdirSync(profiles).filter((name) => readFileSync(join(profiles, name), "utf8").includes("packages/scheduler/src/"));
  assert.equal(threads.length, 1, "components are in the profile of their thread");
  const later = await startCommand(`--data-dir=${dataDir}`);
  t.after(() => later.stop());
  await using reader = await clientFromKubeconfig({ paths: [later.kubeconfig] });
  assert.deepEqual(await holdersOf(reader), ["", ""]);
});

const elected = ["kube-controller-manager", "kube-scheduler"];

async function holdersOf(client: Client): Promise<readonly (string | undefined)[]> {
  const { items } = await client.resource(leases, "kube-system").list();
  const holders = new Map(items.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.holderIdentity ?? ""]));
  return elected.map((name) => holders.get(name));
}

function temporary(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
