/** `coxswain controllers` and `coxswain scheduler` as Kubernetes' own: with the users of kubeconfigs that the command issues. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type api, deployments, events, nodes, pods, secrets, serviceAccounts } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile, startCommand } from "../conformance/command-under-test.ts";
import { startComponentProcess } from "./second-process.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
const web: api.appsV1.Deployment = {
  metadata: { name: "web", namespace: "default" },
  spec: { replicas: 2, selector: { matchLabels: labels }, template },
};

async function startServer(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "coxswain-process-identities-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const command = await startCommand("--data-dir", dataDir);
  t.after(() => command.stop());
  const clientOf = async (path: string) => {
    const client = await clientFromKubeconfig({ paths: [path] });
    t.after(() => client[Symbol.asyncDispose]());
    return client;
  };
  const issue = (component: string): string => {
    const path = join(command.directory, `${component}.conf`);
    const options = ["--kubeconfig", command.kubeconfig, "--cert-dir", join(dataDir, "pki"), "--client-name", `system:${component}`];
    writeFileSync(path, execFileSync(process.execPath, [mainFile, "kubeconfig", ...options]));
    return path;
  };
  return { issue, client: await clientOf(command.kubeconfig), clientOf };
}

test("controllers and scheduler of other processes have no more rights than in Kubernetes", { timeout: hangMs }, async (t) => {
  const { issue, client, clientOf } = await startServer(t);
  const [managers, schedulers] = [issue("kube-controller-manager"), issue("kube-scheduler")];
  const accounts = "--use-service-account-credentials";
  await using manager = startComponentProcess("controllers", managers, "--leader-elect", accounts);
  await using scheduler = startComponentProcess("scheduler", schedulers, "--leader-elect");
  await manager.said("new leader");
  await scheduler.said("new leader");
  const made = await client.resource(nodes).create({ metadata: { name: "one" } });
  const status: api.coreV1.NodeStatus = {
    allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True" }],
  };
  await client.resource(nodes).updateStatus({ ...made, status });
  await client.resource(deployments).create(web);
  // The user of controller-manager.conf may create no Pod: only the account of the replicaset-controller may.
  await waitUntil("Pods have a node", async () => {
    const { items } = await client.resource(pods, "default").list();
    return items.length === 2 && items.every(({ spec }) => spec?.nodeName === "one");
  });
  await waitUntil("events of controllers and scheduler are there", async () => {
    const { items } = await client.resource(events, "default").list();
    return ["ScalingReplicaSet", "SuccessfulCreate", "Scheduled"].every((reason) => items.some((event) => event.reason === reason));
  });
  const { items } = await client.resource(serviceAccounts, "kube-system").list();
  const names = new Set(items.map(({ metadata }) => metadata?.name));
  for (const name of ["deployment-controller", "replicaset-controller"]) assert(names.has(name), name);
  await client.resource(secrets).create({ metadata: { name: "private", namespace: "default" }, stringData: { key: "value" } });
  const asScheduler = await clientOf(schedulers);
  await assert.rejects(
    asScheduler.resource(secrets, "default").get("private"),
    /User "system:kube-scheduler" cannot get resource "secrets"/,
  );
  await assert.rejects(
    (await clientOf(managers)).resource(pods).create({ ...template, metadata: { name: "p", namespace: "default" } }),
    /cannot create/,
  );
  assert.equal(await manager.end("SIGTERM"), 0);
  assert.equal(await scheduler.end("SIGTERM"), 0);
});
