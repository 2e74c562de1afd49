/** Components in processes of their own, killed one after the other under traffic: nothing is refused, and what comes later is led, too. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile } from "../../conformance/command-under-test.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { type ComponentName, type ComponentsApart, startComponentsApart } from "./components-apart.ts";
import { type Pod, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside, machineAddress, type Outside } from "./service-network.ts";
import { agentCommand, agentPod, deployment, service } from "./service-pods.ts";

enterPrivateNetwork();

const needed = ["nft", "conntrack"].filter((name) => binary(name) === undefined);
const skip = whyNoRealCluster() ?? (needed.length > 0 ? `not installed: ${needed.join(", ")}` : false);

/** How the Service is asked: each by requests without end, a new connection for each. */
const ways = ["name", "address", "node-port", "outside"] as const;
type Way = (typeof ways)[number];

/** So many answers of each way count as a time in which nothing was lost. */
const manyAnswers = 100;

const pause = () => delay(50);

/** A kubelet that starts leaves the readiness of containers alone that have run for 10 s; younger ones it takes out until it has asked them. */
const settledMs = 11_000;

describe("components in processes of their own, under traffic", { skip, concurrency: 1, timeout: hangMs }, () => {
  let outside: Outside;
  let cluster: ComponentsApart;
  let external: ChildProcess | undefined;
  let folder: string;

  /** All that a way has been answered so far. */
  const answersOf = (way: Way): readonly string[] => {
    const file = join(folder, way);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  };
  const counts = () => Object.fromEntries(ways.map((way) => [way, answersOf(way).length]));
  const failuresSince = (before: Readonly<Record<string, number>>, which: readonly Way[] = ways): readonly string[] =>
    which.flatMap((way) =>
      answersOf(way)
        .slice(before[way])
        .filter((answer) => !/^\d web-/.test(answer))
        .map((answer) => `${way}: ${answer}`),
    );
  const answered = async (times: number, which: readonly Way[] = ways): Promise<void> => {
    const before = counts();
    const isMet = (): boolean => which.every((way) => answersOf(way).length >= (before[way] ?? 0) + times);
    await waitUntil(`${times} answers more of ${which.join(", ")}`, isMet, { pause });
  };
  /** From a Pod, once the kubelet serves: what its certificate is requested with has to be approved. */
  const askedFromPod = async (url: string): Promise<string> => {
    const words = ["exec", "client", "--", ...agentCommand("ask", JSON.stringify([{ url }]))];
    const { code, stdout, stderr } = await cluster.attempt(words);
    if (code === 0) return JSON.parse(stdout)[0][0];
    const pending = (await cluster.attempt("get csr -o name")).stdout.trim();
    if (pending !== "") await cluster.attempt(["certificate", "approve", ...pending.split("\n")]);
    return stderr;
  };

  before(async () => {
    outside = await connectOutside();
    cluster = await startComponentsApart();
    folder = join(cluster.containerd.folder, "traffic");
    mkdirSync(folder);
    const client = { apiVersion: "v1", kind: "Pod", metadata: { name: "client" }, spec: agentPod(["serve"]) };
    await waitUntil("accounts are made", async () => (await cluster.attempt("get serviceaccount default")).code === 0, { pause });
    await cluster.apply(service("web", { type: "NodePort" }), deployment("web", 3), client);
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await waitUntil("a Pod is answered", async () => (await askedFromPod("http://web/")).startsWith("0 web-"), { pause });
    const clusterIp = await cluster.kubectl("get service web -o jsonpath={.spec.clusterIP}");
    const nodePort = await cluster.kubectl('get service web -o jsonpath={.spec.ports[?(@.name=="http")].nodePort}');
    const node = `http://${machineAddress}:${nodePort}/`;
    const urls = JSON.stringify({ name: "http://web/", address: `http://${clusterIp}/`, "node-port": node });
    // Most of its questions to a DNS that is down are answered by nothing at all.
    const impatient = ["timeout", "attempts"].map((name) => ({ name, value: "1" }));
    const spec = { ...agentPod(["traffic", folder, urls], { writes: folder }), dnsConfig: { options: impatient } };
    await cluster.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "traffic" }, spec });
    const [program = "", ...args] = [...outside.inside, ...agentCommand("traffic", folder, JSON.stringify({ outside: node }))];
    external = spawn(program, args, { stdio: "inherit" });
    await answered(1);
  });

  after(async () => {
    external?.kill("SIGKILL");
    using _ = outside;
    await using ending = cluster;
    await ending.kubectl("delete deployments,services --all");
    await ending.kubectl("delete pods --all --grace-period=1 --wait=true");
    await ending.kill("proxy");
    assert.equal(spawnSync(process.execPath, [mainFile, "proxy", "--cleanup"], { stdio: "inherit" }).status, 0);
  });

  /** What is new is led to, which takes all components. */
  async function takesEffect(name: string, replicas: number, version: string): Promise<void> {
    await cluster.kubectl(`scale deployment web --replicas=${replicas}`);
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await cluster.apply(service(name, { selector: { app: "web" } }));
    const isLed = async (): Promise<boolean> => (await askedFromPod(`http://${name}/`)).startsWith(`${version} web-`);
    await waitUntil(`${name} is answered`, isLed, { pause });
    const answersOfEach = async (): Promise<boolean> => {
      const { items }: { items: Pod[] } = JSON.parse(await cluster.kubectl("get pods -l app=web -o json"));
      const left = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
      const answers = answersOf("address").slice(-manyAnswers);
      return left.length === replicas && left.every(({ metadata }) => answers.includes(`${version} ${metadata?.name}`));
    };
    await waitUntil("each of its Pods answers", answersOfEach, { pause });
  }

  async function podsHaveSettled(): Promise<void> {
    const { items }: { items: Pod[] } = JSON.parse(await cluster.kubectl("get pods -l app=web -o json"));
    const running = items.flatMap(({ status }) => status?.containerStatuses?.flatMap(({ state }) => state?.running ?? []) ?? []);
    const started = running.map(({ startedAt = "" }) => Date.parse(startedAt));
    await delay(Math.max(0, Math.max(...started) + settledMs - Date.now()));
  }

  const others: readonly { readonly name: ComponentName; readonly replicas: number }[] = [
    { name: "proxy", replicas: 4 },
    { name: "kubelet", replicas: 3 },
    { name: "controllers", replicas: 4 },
    { name: "scheduler", replicas: 3 },
    { name: "apiserver", replicas: 4 },
  ];
  for (const { name, replicas } of others)
    test(`killed, the ${name} is missed by no request, and what changes after its return takes effect`, async () => {
      const before = { counts: counts(), processes: cluster.processes() };
      await cluster.kill(name);
      await answered(manyAnswers);
      if (name === "kubelet") await podsHaveSettled();
      const { [name]: _, ...left } = before.processes;
      assert.deepEqual(cluster.processes(), left);
      await cluster.start(name);
      await takesEffect(`after-${name}`, replicas, "0");
      assert.deepEqual(failuresSince(before.counts), []);
    });

  test("killed, DNS is missed by names alone, until its return", async () => {
    const byAddress = ways.filter((way) => way !== "name");
    const before = counts();
    await cluster.kill("dns");
    await answered(manyAnswers, byAddress);
    await waitUntil("names fail", () => answersOf("name").at(-1)?.startsWith("error EAI_AGAIN") === true, { pause });
    await cluster.start("dns");
    await waitUntil("names are answered", () => answersOf("name").at(-1)?.startsWith("0 web-") === true, { pause });
    const back = counts();
    await takesEffect("after-dns", 3, "0");
    assert.deepEqual(failuresSince(back), []);
    assert.deepEqual(failuresSince(before, byAddress), []);
  });

  test("killed while a Deployment is rolled, the API server is missed by no request, and the roll goes on", async () => {
    const before = counts();
    // The new Pods serve for a while before old ones go, so that it is known what is missed meanwhile.
    const rolled = deployment("web", 3, "1") as { readonly spec: object };
    await cluster.apply({ ...rolled, spec: { ...rolled.spec, minReadySeconds: 5 } });
    const said = (path: string): Promise<string> => cluster.kubectl(`get deployment web -o jsonpath={.status.${path}}`);
    const isBetween = async (): Promise<boolean> => (await said("updatedReplicas")) === "1" && (await said("unavailableReplicas")) === "1";
    await waitUntil("the roll has begun", isBetween, { pause });
    await cluster.kill("apiserver");
    await answered(manyAnswers);
    await cluster.start("apiserver");
    assert.notEqual(await said("updatedReplicas"), "3");
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await takesEffect("after-roll", 4, "1");
    assert.deepEqual(failuresSince(before), []);
  });
});
