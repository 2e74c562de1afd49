/** Several nodes with real containers on one machine: reached, drained, killed, cut off, and gone without a trace. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { deployments, pods } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { startCommand } from "../../conformance/command-under-test.ts";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { hasEnded, isReady, mainOf, pod, podSpec, script } from "./manifests.ts";
import type { Pod } from "./real-cluster.ts";
import {
  clusterIdOf,
  imageArchive,
  type MachineState,
  machineState,
  type SeveralNodes,
  severalFlags,
  startSeveralNodes,
  whyNotSeveral,
} from "./several-nodes.ts";

enterPrivateNetwork();

const names = ["node-1", "node-2", "node-3"] as const;
const identity = (seen: Pod) => ({ uid: seen.metadata?.uid, id: mainOf(seen)?.containerID, restarts: mainOf(seen)?.restartCount });

describe("several nodes with containers", { concurrency: 1, skip: whyNotSeveral() ?? false }, () => {
  let nothing: MachineState | undefined;
  /** Of the cluster that is tested, and of the one that was killed before it. */
  const ids: string[] = [];
  let cluster: SeveralNodes | undefined;
  const started = (): SeveralNodes => {
    assert.ok(cluster !== undefined);
    return cluster;
  };
  const webOn = (node: string): object => pod(`web-${node}`, { image: images.web1 }, { nodeName: node });
  /** Of IPv4, then of IPv6. */
  const addressesOf = async (name: string): Promise<readonly string[]> =>
    ((await started().podOnce(name, isReady)).status?.podIPs ?? []).map(({ ip }) => ip ?? "");

  before(async () => {
    nothing = machineState(ids);
    ids.push(await leaveKilledCluster());
    cluster = await startSeveralNodes();
    ids.push(cluster.id);
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  test("each has an address, and what a killed cluster without a data directory has left is gone", async () => {
    const { nodeOnce, kubectl } = started();
    for (const name of names) await nodeOnce(name, "True");
    const addresses = (await kubectl('get nodes -o jsonpath={.items[*].status.addresses[?(@.type=="InternalIP")].address}')).split(" ");
    assert.equal(new Set(addresses).size, 6, addresses.join(" "));
    const { links, namespaces, runFolders } = machineState(ids);
    assert.equal(links.filter((name) => /^cxw-[0-9a-f]{6}$/.test(name)).length, 1, links.join(" "));
    assert.equal(namespaces.length, 3, namespaces.join(" "));
    assert.equal(runFolders.length, 1, runFolders.join(" "));
  });

  test("Pods of different nodes reach each other, as the server does them, by their addresses and by a Service", async () => {
    const { apply, fetchedBy, kubectl } = started();
    await apply(...names.map(webOn));
    const to = (
      await Promise.all(names.map(async (name) => (await addressesOf(`web-${name}`)).map((address) => ({ name, address }))))
    ).flat();
    assert.equal(to.length, 6);
    for (const from of names)
      for (const { name, address } of to) assert.equal(await fetchedBy(`web-${from}`, address), "version 1\n", `${from} to ${name}`);
    for (const { address } of to)
      assert.equal(await (await fetch(`http://${address.includes(":") ? `[${address}]` : address}:8080/`)).text(), "version 1\n");
    await apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "default" },
      spec: { selector: { app: "rolled" }, ports: [{ port: 80, targetPort: 8080 }], ipFamilyPolicy: "RequireDualStack" },
    });
    await apply(deployment("rolled", 2));
    await waitFor(started().client, { ref: deployments, target: "rolled", until: "condition=Available" }, { timeoutMs: hangMs });
    const addresses = (await kubectl("get service web -o jsonpath={.spec.clusterIPs[*]}")).split(" ");
    assert.deepEqual(addresses.map(isIP), [4, 6]);
    for (const from of names)
      for (const address of addresses)
        await eventually(`${from} reaches the Service at ${address}`, () => fetchedBy(`web-${from}`, address, 80), "version 1\n");
  });

  test("each node answers at its own address how many Pods of a Service it has, and how its proxy is", async () => {
    const { apply, client, kubectl } = started();
    const spec = {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      selector: { app: "rolled" },
      ports: [{ port: 80, targetPort: 8080 }],
    };
    await apply({ apiVersion: "v1", kind: "Service", metadata: { name: "balanced", namespace: "default" }, spec });
    const port = await kubectl("get service balanced -o jsonpath={.spec.healthCheckNodePort}");
    const address = (node: string): Promise<string> => kubectl(`get node ${node} -o jsonpath={.status.addresses[0].address}`);
    const fetched = async (node: string, at: string): Promise<string> => {
      const answer = await fetch(`http://${await address(node)}:${at}`, { headers: { connection: "close" } });
      const { localEndpoints, nodeEligible, healthy } = JSON.parse(await answer.text());
      return `${answer.status} ${[localEndpoints ?? [], nodeEligible ?? [], healthy ?? []].flat().join(" ")}`;
    };
    const countsAre = (counts: string): Promise<void> =>
      eventually(
        "Pods by node",
        async () => {
          const { items } = await client.resource(pods, "default").list({ labelSelector: "app=rolled" });
          const left = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
          const expected = names.map((name) => left.filter((one) => one.spec?.nodeName === name && isReady(one as Pod)).length);
          const answers = await Promise.all(names.map((name) => fetched(name, `${port}/`)));
          assert.deepEqual(
            answers,
            expected.map((own) => `${own === 0 ? 503 : 200} ${own}`),
          );
          return expected.toSorted().join(" ");
        },
        counts,
      );
    await countsAre("0 1 1");
    await kubectl("scale deployment rolled --replicas=3");
    await countsAre("1 1 1");
    await kubectl("scale deployment rolled --replicas=2");
    await countsAre("0 1 1");
    for (const name of names) assert.equal(await fetched(name, "10256/healthz"), "200 true true");
    for (const from of names) {
      const said = await started().fetchedBy(`web-${from}`, await address("node-2"), 10256, "/livez");
      assert.equal(JSON.parse(said).healthy, true, `${from} asks node-2`);
    }
    await kubectl("delete service balanced");
    await eventually("the port is closed", () => fetched("node-1", `${port}/`).catch(({ cause }) => cause.code), "ECONNREFUSED");
  });

  test("logs and commands reach the Pods of each node", async () => {
    const { kubectl } = started();
    for (const name of names) assert.match(await kubectl(`exec web-${name} -- hostname`), new RegExp(`^web-${name}$`, "m"));
  });

  test("NetworkPolicies count between Pods of different nodes and of one, and this machine is each node's own", async () => {
    const { apply, fetchedBy, kubectl } = started();
    const policy = (name: string, spec: object) => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name, namespace: "default" },
      spec: { podSelector: { matchLabels: { guarded: "yes" } }, ...spec },
    });
    await apply(
      pod("near", { image: images.web1 }, { nodeName: "node-2" }),
      pod("guarded", { image: images.web1 }, { nodeName: "node-2" }),
    );
    await addressesOf("near");
    const [address = ""] = await addressesOf("guarded");
    const becomes = (from: string, answer: string) => eventually(`${from} gets ${answer}`, () => fetchedBy(from, address), answer);
    const [open, closed] = ["version 1\n", ""];
    for (const from of ["near", "web-node-1"]) await becomes(from, open);
    await kubectl("label pod guarded guarded=yes");
    await apply(policy("deny", { policyTypes: ["Ingress"] }));
    for (const from of ["near", "web-node-1", "web-node-3"]) await becomes(from, closed);
    assert.equal(await (await fetch(`http://${address}:8080/`)).text(), open);
    await kubectl("label pod near friend=yes");
    await kubectl("label pod web-node-1 friend=yes");
    await apply(policy("friends", { ingress: [{ from: [{ podSelector: { matchLabels: { friend: "yes" } } }], ports: [{ port: 8080 }] }] }));
    for (const from of ["near", "web-node-1"]) await becomes(from, open);
    assert.equal(await fetchedBy("web-node-3", address), closed);
    await kubectl("delete networkpolicies --all");
    await becomes("web-node-3", open);
    await kubectl("delete pods near guarded");
  });

  test("a policy counts from the first moment of a Pod on", async () => {
    const { apply, kubectl, podOnce } = started();
    await apply({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "mute", namespace: "default" },
      spec: { podSelector: { matchLabels: { app: "mute" } }, policyTypes: ["Egress"] },
    });
    const [address = ""] = await addressesOf("web-node-1");
    const heard = async (app: string, name: string): Promise<string> => {
      const ask = script(`printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 1 ${address} 8080 2>/dev/null; exit 0`);
      await apply(pod(name, { image: images.shell, ...ask }, { nodeName: "node-2", restartPolicy: "Never" }, { app }));
      await podOnce(name, hasEnded);
      return await kubectl(`logs ${name}`);
    };
    assert.match(await heard("open", "open"), /version 1/);
    for (const name of ["mute-1", "mute-2", "mute-3"]) assert.equal(await heard("mute", name), "", name);
    assert.doesNotMatch(await kubectl("get events -o jsonpath={.items[*].reason}"), /NetworkNotReady/);
    await kubectl("delete networkpolicies --all");
    await kubectl("delete pods open mute-1 mute-2 mute-3");
  });

  test("drained, a node has no Pods, and gets some again", async () => {
    const { kubectl, apply, podOnce } = started();
    assert.match(await kubectl("drain node-3 --force --timeout=5m"), /node\/node-3 drained/);
    const left = await kubectl("get pods --field-selector=spec.nodeName=node-3 -o name");
    assert.equal(left, "");
    await kubectl("uncordon node-3");
    await apply(webOn("node-3"));
    await podOnce("web-node-3", isReady);
  });

  test("a kubelet and a containerd that are killed are started again, and Pods run on", async () => {
    const { pidOf, podOnce, nodeOnce, apply } = started();
    const before = await podOnce("web-node-1", isReady);
    const killed = { kubelet: pidOf("node-1", "kubelet"), containerd: pidOf("node-1", "containerd") };
    for (const pid of Object.values(killed)) process.kill(pid, "SIGKILL");
    const areBack = (): boolean => pidOf("node-1", "kubelet") !== killed.kubelet && pidOf("node-1", "containerd") !== killed.containerd;
    await waitUntil("both are there again", areBack, { pause });
    await apply(pod("after", { image: images.web1 }, { nodeName: "node-1" }));
    await podOnce("after", isReady);
    await nodeOnce("node-1", "True");
    assert.deepEqual(identity(await podOnce("web-node-1", isReady)), identity(before));
  });

  test("one node frozen and one cut off are NotReady, their Pods are replaced elsewhere, and both come back", async () => {
    const { pidOf, nodeOnce, client, kubectl, podOnce } = started();
    const link = machineState(ids).links.find((name) => /^cxw-[0-9a-f]{6}-3$/.test(name));
    assert.ok(link !== undefined);
    const kubelet = pidOf("node-2", "kubelet");
    process.kill(kubelet, "SIGSTOP");
    ip("link", "set", link, "down");
    await Promise.all([nodeOnce("node-2", "Unknown"), nodeOnce("node-3", "Unknown")]);
    const rolled = () => client.resource(pods, "default").list({ labelSelector: "app=rolled" });
    const readyOn = async (): Promise<string> =>
      (await rolled()).items
        .filter((one) => one.metadata?.deletionTimestamp === undefined && isReady(one as Pod))
        .map(({ spec }) => spec?.nodeName)
        .join(" ");
    await eventually("both replicas are on the node that is left", readyOn, "node-1 node-1");
    process.kill(kubelet, "SIGCONT");
    ip("link", "set", link, "up");
    await Promise.all([nodeOnce("node-2", "True"), nodeOnce("node-3", "True")]);
    await eventually("nothing is left of what was evicted", async () => String((await rolled()).items.length), "2");
    await podOnce("web-node-1", isReady);
    await kubectl("delete deployment rolled");
  });

  test("killed with kill -9 and started again, nodes and Pods are found; one that is not wanted any more is removed", async () => {
    const { killAndStart, podOnce, nodeOnce, fetchedBy } = started();
    const before = await Promise.all(["web-node-1", "after"].map((name) => podOnce(name, isReady)));
    await killAndStart("--nodes=2");
    // What the server says of nodes and Pods is of before until the kubelets are back, which these ask.
    const address = before[0]?.status?.podIP ?? "";
    for (const name of ["after", "web-node-2"]) await eventually(`${name} reaches a Pod`, () => fetchedBy(name, address), "version 1\n");
    for (const name of ["node-1", "node-2"]) await nodeOnce(name, "True");
    const after = await Promise.all(["web-node-1", "after"].map((name) => podOnce(name, isReady)));
    assert.deepEqual(after.map(identity), before.map(identity));
    const { namespaces, links } = machineState(ids);
    assert.equal(namespaces.length, 2, namespaces.join(" "));
    assert.equal(links.filter((name) => /^cxw-[0-9a-f]{6}-\d$/.test(name)).length, 2, links.join(" "));
  });

  test("stopped, it leaves nothing behind", async () => {
    await started().stop();
    assert.deepEqual(machineState(ids), nothing);
  });

  test("started again its Pods run; killed, it leaves nothing to a cluster in the same folder that has other nodes", async () => {
    const { startAgain, killAndStart, kubectl, stop } = started();
    await startAgain("--nodes=2");
    await eventually("what was stopped with its node runs again", () => kubectl("exec web-node-1 -- hostname"), "web-node-1\n");
    await killAndStart("--runtime=simulated");
    assert.deepEqual(machineState(ids), nothing);
    await stop();
  });
});

/** Killed before anybody could have started it again: nobody knows its folder. */
async function leaveKilledCluster(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-several-"));
  const command = await startCommand("--ephemeral", "--nodes=2", ...severalFlags(imageArchive(folder)));
  const id = clusterIdOf(command.process.pid);
  command.process.kill("SIGKILL");
  await waitUntil("the command has ended", () => command.process.signalCode !== null);
  await command.stop();
  rmSync(folder, { recursive: true, force: true });
  assert.equal(machineState([id]).namespaces.length, 2, "it has left its nodes behind");
  return id;
}

const deployment = (name: string, replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: podSpec(
        { image: images.web1, readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 } },
        {
          tolerations: ["not-ready", "unreachable"].map((key) => ({
            key: `node.kubernetes.io/${key}`,
            operator: "Exists",
            effect: "NoExecute",
            tolerationSeconds: 1,
          })),
        },
      ),
    },
  },
});

/** Between two questions to other processes. */
const pause = (): Promise<void> => delay(100);

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

async function eventually(what: string, ask: () => Promise<string>, wanted: string): Promise<void> {
  let answer = "";
  const isThere = async (): Promise<boolean> => {
    answer = await ask().catch(String);
    return answer === wanted;
  };
  await waitUntil(`${what}: ${wanted}`, isThere, { pause }).catch((error: unknown) => {
    throw new Error(`the last answer was ${answer}`, { cause: error });
  });
}
