/** Controllers, scheduler and kubelet in processes of their own, each with a kubeconfig that may do no more than in Kubernetes. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { mainFile, startCommand } from "../conformance/command-under-test.ts";

interface Running {
  readonly process: ChildProcess;
  log(): string;
}

function start(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [mainFile, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  return { process: child, log: () => log };
}

async function stop({ process: child }: Running): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

const deployment = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "none:1", command: ["sh", "-c", "echo hello; sleep 1000"] }] },
    },
  },
});

test("components of their own work with the rights that Kubernetes gives them", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-identities-"));
  const command = await startCommand("--data-dir", join(folder, "data"));
  const running: Running[] = [];
  t.after(async () => {
    for (const one of running.toReversed()) await stop(one);
    await command.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const kubeconfigOf = (file: string, name: string, ...groups: readonly string[]): string => {
    const of = ["--kubeconfig", command.kubeconfig, "--cert-dir", join(folder, "data", "pki"), "--client-name", name];
    const org = groups.length === 0 ? [] : ["--org", groups.join(",")];
    const path = join(folder, file);
    writeFileSync(path, execFileSync(process.execPath, [mainFile, "kubeconfig", ...of, ...org]), { mode: 0o600 });
    return path;
  };
  const kubectl = (args: readonly string[], input = ""): string => {
    try {
      return execFileSync("kubectl", [...args, "--kubeconfig", command.kubeconfig], { encoding: "utf8", input, stdio: "pipe" }).trim();
    } catch (error) {
      return String(error);
    }
  };
  const controllers = kubeconfigOf("controller-manager.conf", "system:kube-controller-manager");
  const scheduler = kubeconfigOf("scheduler.conf", "system:kube-scheduler");
  const kubelet = kubeconfigOf("kubelet.conf", "system:node:one", "system:nodes");
  const node = ["--runtime=process", "--node-name=one", "--root-dir", join(folder, "kubelet")];
  running.push(
    start("controllers", "--kubeconfig", controllers, "--use-service-account-credentials", "--leader-elect"),
    start("scheduler", "--kubeconfig", scheduler, "--leader-elect"),
    start("kubelet", "--kubeconfig", kubelet, ...node),
  );
  const logs = (): string => running.map((one) => one.log()).join("");

  await waitUntil("the node is ready", () => kubectl(["get", "node", "one"]).includes(" Ready "));
  kubectl(["apply", "-f", "-"], deployment);
  await waitUntil("the Deployment is available", () => kubectl(["get", "deployment", "web"]).includes("1/1"));
  assert.match(kubectl(["logs", "deployment/web"]), /certificate/, "what the node signs itself is not trusted");
  const request = /kubectl certificate approve (csr-\w+)/.exec(logs())?.[1] ?? "";
  assert.match(kubectl(["certificate", "approve", request]), /approved/);
  await waitUntil("the node serves", () => kubectl(["logs", "deployment/web"]) === "hello");
  const accounts = kubectl(["get", "serviceaccounts", "--namespace=kube-system", "-o", "name"]);
  for (const name of ["deployment-controller", "replicaset-controller", "node-controller"]) assert.ok(accounts.includes(`/${name}`), name);
  kubectl(["delete", "deployment", "web"]);
  await waitUntil("its Pods are gone", () => kubectl(["get", "pods", "-o", "name"]) === "");

  // The authority of a kubeconfig need not be one for clients.
  const known = execFileSync("kubectl", ["config", "view", "--raw", "-o", "json", "--kubeconfig", kubelet], { encoding: "utf8" });
  const [{ name }] = JSON.parse(known).users;
  const stranger = join(folder, "stranger.conf");
  const token = kubectl(["create", "token", "default"]);
  writeFileSync(stranger, JSON.stringify({ ...JSON.parse(known), users: [{ name, user: { token } }] }), { mode: 0o600 });
  const refused = start("kubelet", "--kubeconfig", stranger, "--runtime=process", "--node-name=two", "--root-dir", join(folder, "two"));
  await once(refused.process, "exit");
  assert.match(refused.log(), /whom the cluster's API server is known by; name it with --client-ca-file/);
  assert.doesNotMatch(logs(), /forbidden|cannot (get|list|watch|create|update|patch|delete)/);
});
