/** NetworkPolicies of real containers, by nothing but the command: a Pod that is closed, opened for some, and open again. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile, startCommand } from "../../conformance/command-under-test.ts";
import { cgroupRootOf } from "../containerd/cgroup-root.ts";
import { startContainerd } from "../containerd/containerd.ts";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { hasEnded, isReady, pod, script } from "./manifests.ts";
import { startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside } from "./service-network.ts";
import { agentCommand, agentPod } from "./service-pods.ts";

enterPrivateNetwork();

const skip = whyNoRealCluster() ?? (binary("nft") === undefined ? "not installed: nft" : false);
const tables = () => spawnSync("nft", ["list", "tables"], { encoding: "utf8" }).stdout;
const pause = { pause: () => delay(50) };
const closed = "error ETIMEDOUT";
const of = (direction: string): string => `node="real",direction="${direction}"`;

const policy = (name: string, spec: object) => ({ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name }, spec });
const aboutServer = { podSelector: { matchLabels: { app: "server" } } };
const server = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name } }, spec: agentPod(["serve"]) });

test("default deny closes a Pod to others, a policy opens it to some, and its probes go on", { skip, timeout: hangMs }, async () => {
  using _outside = await connectOutside();
  {
    await using cluster = await startRealCluster();
    await cluster.apply(server("server"), server("friend"), server("stranger"));
    for (const name of ["friend", "stranger"]) await cluster.podOnce(name, isReady);
    const { podIP } = (await cluster.podOnce("server", isReady)).status ?? {};
    const ask = async (from: string, url: string): Promise<string> => {
      const said = await cluster.kubectl(["exec", from, "--", ...agentCommand("ask", JSON.stringify([{ url }]))]);
      return JSON.parse(said)[0][0];
    };
    const becomes = (from: string, url: string, answer: string) =>
      waitUntil(`${from} gets ${answer} of ${url}`, async () => (await ask(from, url)) === answer);
    const url = `http://${podIP}:8080/`;
    await becomes("stranger", url, "0 server");
    await cluster.apply(policy("deny", { ...aboutServer, policyTypes: ["Ingress", "Egress"] }));
    for (const from of ["friend", "stranger"]) await becomes(from, url, closed);
    const { podIP: friendIp } = (await cluster.podOnce("friend", isReady)).status ?? {};
    await becomes("server", `http://${friendIp}:8080/`, closed);
    // The node, where the kubelet is, and the Pod itself.
    assert.equal(await (await fetch(url)).text(), "0 server");
    assert.equal(await ask("server", url), "0 server");
    const friends = [{ from: [{ podSelector: { matchLabels: { app: "friend" } } }], ports: [{ port: 8080 }] }];
    await cluster.apply(policy("friends", { ...aboutServer, ingress: friends }));
    await becomes("friend", url, "0 server");
    assert.equal(await ask("stranger", url), closed);
    assert.equal(await ask("friend", `http://${podIP}:7000/`), closed);
    assert.ok(isReady(await cluster.podOnce("server", isReady)));
    const health = await cluster.kubectl("get --raw /healthz?verbose");
    assert.ok(health.includes("[+]network-policy ok"), health);
    const figures = (await cluster.kubectl("get --raw /metrics"))
      .split("\n")
      .filter((line) => line.startsWith("network_policy_isolated_pods"));
    assert.deepEqual(figures.toSorted(), [
      `network_policy_isolated_pods{${of("egress")}} 1`,
      `network_policy_isolated_pods{${of("ingress")}} 1`,
    ]);
    const as = ["--as=system:serviceaccount:kube-system:network-policy"];
    const may = async (words: string) => (await cluster.attempt(["auth", "can-i", ...words.split(" "), ...as])).stdout.trim();
    assert.deepEqual(
      [await may("list networkpolicies -A"), await may("list secrets -A"), await may("update pods -A")],
      ["yes", "no", "no"],
    );
    await cluster.kubectl("delete networkpolicies --all");
    await becomes("stranger", url, "0 server");
    await cluster.kubectl("delete pods --all --grace-period=1 --wait=true");
  }
  assert.match(tables(), /table ip coxswain-network-policies/);
  assert.equal(spawnSync(process.execPath, [mainFile, "proxy", "--cleanup"], { stdio: "inherit" }).status, 0);
  assert.doesNotMatch(tables(), /coxswain-network-policies|coxswain-proxy/);
});

test("nothing gets out of a Pod before the policies about it count, from its first moment on", { skip, timeout: hangMs }, async () => {
  using _outside = await connectOutside();
  using _rules = { [Symbol.dispose]: () => void spawnSync(process.execPath, [mainFile, "network-policy", "--cleanup"]) };
  await using cluster = await startRealCluster();
  await cluster.apply(server("server"), policy("deny", { podSelector: { matchLabels: { app: "closed" } }, policyTypes: ["Egress"] }));
  const { podIP } = (await cluster.podOnce("server", isReady)).status ?? {};
  const said = (app: string, name: string) =>
    pod(name, { image: images.shell, ...script(`echo | nc -w 1 ${podIP} 7000 2>/dev/null; exit 0`) }, { restartPolicy: "Never" }, { app });
  const logOf = async (name: string): Promise<string> => {
    await cluster.podOnce(name, hasEnded);
    return await cluster.kubectl(["logs", name]);
  };
  await cluster.apply(said("open", "open"));
  assert.match(await logOf("open"), /^server/);
  const names = Array.from({ length: 50 }, (_, at) => `closed-${at}`);
  for (let at = 0; at < names.length; at += 10) {
    const some = names.slice(at, at + 10);
    await cluster.apply(...some.map((name) => said("closed", name)));
    for (const name of some) assert.equal(await logOf(name), "", name);
    await cluster.kubectl(["delete", "pods", ...some, "--wait=false"]);
  }
  assert.match(await cluster.kubectl("get events -o jsonpath={.items[*].reason}"), /^(?!.*NetworkNotReady)/);
  await cluster.kubectl("delete pods --all --grace-period=1 --wait=true");
});

test("the rules of a server that keeps nothing end with it, and one that leaves them to others writes none", {
  skip,
  timeout: hangMs,
}, async () => {
  await using containerd = await startContainerd();
  const runtime = ["--runtime", "cri", "--container-runtime-endpoint", containerd.socket, "--cgroup-root", cgroupRootOf(containerd)];
  const own = [...runtime, "--root-dir", join(containerd.folder, "kubelet")];
  const command = await startCommand("--ephemeral", ...own);
  await waitUntil("rules are written", () => /table ip6 coxswain-network-policies/.test(tables()), pause);
  assert.equal(await command.stop(), 0);
  assert.doesNotMatch(tables(), /coxswain-network-policies/);
  const without = await startCommand("--ephemeral", "--disable-network-policy", ...own);
  await waitUntil("others' rules are written", () => /table ip6 coxswain-proxy/.test(tables()), pause);
  assert.doesNotMatch(tables(), /coxswain-network-policies/);
  assert.equal(await without.stop(), 0);
});
