/** `coxswain scheduler`, as a user starts it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { leases, pods, systemClock } from "@coxswain/client";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster } from "coxswain/testing";
import { startComponentProcess } from "../controllers/second-process.ts";
import { addNode, pod } from "./scheduler-under-test.ts";

const folder = mkdtempSync(join(tmpdir(), "coxswain-scheduler-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test("places Pods by the plugins of its configuration, competes, and gives its lease back", { timeout: hangMs }, async () => {
  file("plugin.ts", `export default { Last: () => ({ name: "Last", score: (_state, _pod, node) => (node.name === "z" ? 100 : 0) }) };`);
  const config = file(
    "scheduler.yaml",
    `apiVersion: scheduler.coxswain.io/v1
kind: SchedulerConfiguration
plugins: [./plugin.ts]
leaderElection: {leaderElect: true, resourceName: ours}
profiles:
- schedulerName: last
  plugins: {multiPoint: {enabled: [{name: Last, weight: 100}]}}`,
  );
  await using cluster = await startCluster({ clock: systemClock });
  const { client } = cluster;
  const { kubeconfig } = await cluster.listen();
  await using scheduler = startComponentProcess("scheduler", kubeconfig, "--config", config, "--metrics-port=0");
  await scheduler.said("new leader");
  for (const name of ["a", "b", "z"]) await addNode(client, name);
  for (const name of ["p", "q"]) await client.resource(pods).create(pod(name, "100m", { schedulerName: "last" }));
  for (const name of ["p", "q"]) {
    const { spec } = await cluster.waitFor(pods, name, (one) => (one.spec?.nodeName ?? "") !== "", { timeoutMs: hangMs });
    assert.equal(spec?.nodeName, "z");
  }
  const port = /"port":(\d+)/.exec(scheduler.log())?.[1];
  const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(figures, /scheduler_schedule_attempts_total\{[^}]*result="scheduled"[^}]*\} 2/);
  const lease = client.resource(leases, "kube-system");
  assert.notEqual((await lease.get("ours")).spec?.holderIdentity, "");
  assert.equal(await scheduler.end("SIGTERM"), 0);
  assert.equal((await lease.get("ours")).spec?.holderIdentity, "");
});

const wrong = [
  {
    name: "a mistake",
    text: "percentageOfNodesToScore: 101",
    says: "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
  },
  {
    name: "a plugin where it has nothing to do",
    text: "profiles: [{plugins: {score: {enabled: [{name: NodeName}]}}}]",
    says: 'plugin \\"NodeName\\" does not extend ScorePlugin plugin',
  },
];
for (const { name, text, says } of wrong)
  test(`ends with 1 for ${name}`, { timeout: hangMs }, async () => {
    await using cluster = await startCluster({ clock: systemClock });
    const { kubeconfig } = await cluster.listen();
    const config = file(
      "wrong.yaml",
      `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n${text}`,
    );
    await using scheduler = startComponentProcess("scheduler", kubeconfig, "--config", config);
    const [code] = scheduler.process.exitCode === null ? await once(scheduler.process, "exit") : [scheduler.process.exitCode];
    assert.equal(code, 1);
    assert.ok(scheduler.log().includes(says), scheduler.log());
  });
