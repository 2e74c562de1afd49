/** NetworkPolicies on a machine that has joined: `coxswain kubelet` there, and `coxswain network-policy` beside it, as who may do no more. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile } from "../../conformance/command-under-test.ts";
import { freePort } from "../../free-port.ts";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { hasEnded, isReady, pod, script } from "./manifests.ts";
import { startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside } from "./service-network.ts";
import { agentPod } from "./service-pods.ts";

enterPrivateNetwork();

const skip = whyNoRealCluster() ?? (binary("nft") === undefined ? "not installed: nft" : false);
const pause = { pause: () => delay(50) };
const tables = () => spawnSync("nft", ["list", "tables"], { encoding: "utf8" }).stdout;
const coxswain = (...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
};

test("a process beside the kubelet enforces policies, and Pods wait for it as long as it is there", { skip, timeout: hangMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-joined-"));
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  using _outside = await connectOutside();
  const socket = join(folder, "policy.sock");
  await using cluster = await startRealCluster({ isKubeletApart: true, kubeletFlags: ["--network-policy-socket", socket] });
  const kubeconfig = join(folder, "policy.conf");
  const admin = cluster.env.KUBECONFIG ?? "";
  writeFileSync(
    kubeconfig,
    coxswain(
      "kubeconfig",
      "--kubeconfig",
      admin,
      "--cert-dir",
      join(cluster.containerd.folder, "data", "pki"),
      "--client-name",
      "system:network-policy",
    ),
  );
  const port = await freePort();
  const flags = [
    "--kubeconfig",
    kubeconfig,
    "--hostname-override",
    "real",
    "--socket",
    socket,
    "--metrics-bind-address",
    `127.0.0.1:${port}`,
  ];
  await using policies = start(["network-policy", ...flags]);
  const health = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
  await waitUntil("rules follow the cluster", async () => (await health().catch(String)) === "ok", pause);

  await cluster.apply(
    { apiVersion: "v1", kind: "Pod", metadata: { name: "server" }, spec: agentPod(["serve"]) },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "deny" },
      spec: { podSelector: { matchLabels: { app: "closed" } }, policyTypes: ["Egress"] },
    },
  );
  const { podIP } = (await cluster.podOnce("server", isReady)).status ?? {};
  /** What the server says to a Pod whose first deed it is to ask. */
  const heard = async (app: string, name: string): Promise<string> => {
    const ask = script(`echo | nc -w 1 ${podIP} 7000 2>/dev/null; exit 0`);
    await cluster.apply(pod(name, { image: images.shell, ...ask }, { restartPolicy: "Never" }, { app }));
    await cluster.podOnce(name, hasEnded);
    return await cluster.kubectl(["logs", name]);
  };
  assert.match(await heard("open", "open"), /^server/);
  for (const name of ["closed-1", "closed-2", "closed-3"]) assert.equal(await heard("closed", name), "", name);
  assert.match(
    await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    /network_policy_isolated_pods\{node="real",direction="egress"\}/,
  );

  // It is gone for good: its rules stay, and no Pod waits for ever.
  await policies[Symbol.asyncDispose]();
  assert.match(await heard("open", "late"), /^server/);
  await cluster.eventOnce("late", "NetworkNotReady", /containers start although nobody says whether NetworkPolicies are about the Pod/);
  assert.match(tables(), /coxswain-network-policies/);
  coxswain("network-policy", "--cleanup", "--socket", socket);
  assert.doesNotMatch(tables(), /coxswain-network-policies/);
  assert.equal(existsSync(socket), false);
  await cluster.kubectl("delete pods --all --grace-period=1 --wait=true");
});

function start(args: readonly string[]): AsyncDisposable & { readonly child: ChildProcess } {
  const child = spawn(process.execPath, [mainFile, ...args], { stdio: "ignore" });
  return {
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
