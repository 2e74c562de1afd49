/** Logs of, and commands in, what runs on the simulated nodes of a test's cluster. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podLogs, pods, runInPod } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { startCluster, virtualClock } from "coxswain/testing";

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {simulation.coxswain.io/logs: "one\\ntwo"}}
spec: {nodeName: node-1, containers: [{name: c, image: web}]}
`;

const running = (object: { status?: { phase?: string } } | undefined): boolean => object?.status?.phase === "Running";

async function logged(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

test("logs, within the process and on virtual time", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await using _nodes = await cluster.run({ nodes: 2 });
  await cluster.applyYaml(pod);
  await cluster.waitFor(pods, "web", running);
  assert.deepEqual(await logged(podLogs(cluster.client, "web")), ["one", "two"]);
});

test("logs and commands, for clients that come over the network", async () => {
  await using cluster = await startCluster();
  await using _nodes = await cluster.run({ nodes: 1 });
  const { kubeconfig } = await cluster.listen();
  await using client = await clientFromKubeconfig({ env: { KUBECONFIG: kubeconfig } });
  await cluster.applyYaml(pod);
  await cluster.waitFor(pods, "web", running);
  assert.deepEqual(await logged(podLogs(client, "web")), ["one", "two"]);
  const { stdout, exitCode } = await runInPod(client, "web", { command: ["echo", "hi"] });
  assert.deepEqual({ stdout, exitCode }, { stdout: "hi\n", exitCode: 0 });
  assert.equal((await runInPod(client, "web", { command: ["cat"], stdin: Buffer.from("in") })).stdout, "in");
});
