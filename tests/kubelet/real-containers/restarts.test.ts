/** What runs goes on running when those who look after it do not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes } from "@coxswain/client";
import { hangMs } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { images } from "../containerd/images.ts";
import { leftoversOf, settledLeftovers } from "../containerd/leftovers.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { isReady, mainOf, pod, script } from "./manifests.ts";
import { type Pod, type RealCluster, type RealClusterOptions, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";

enterPrivateNetwork();

function clusterTest(name: string, run: (cluster: RealCluster) => Promise<void>, options: RealClusterOptions = {}): void {
  test(name, { skip: whyNoRealCluster() ?? false, timeout: hangMs }, async () => {
    await using cluster = await startRealCluster(options);
    await run(cluster);
  });
}

const identity = (seen: Pod) => ({
  uid: seen.metadata?.uid,
  id: mainOf(seen)?.containerID,
  startedAt: mainOf(seen)?.state?.running?.startedAt,
  restarts: mainOf(seen)?.restartCount,
});

const idOf = (seen: Pod): string => mainOf(seen)?.containerID?.replace("containerd://", "") ?? "";

const web = pod("web", { image: images.web1, livenessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 } });

clusterTest("killed with kill -9 and started again, the kubelet finds its containers and touches none", async (cluster) => {
  await cluster.apply(web, pod("crashing", { image: images.crash }));
  const before = await cluster.podOnce("web", isReady);
  const crashing = await cluster.podOnce("crashing", (seen) => (mainOf(seen)?.restartCount ?? 0) >= 1);
  // For each connection of a probe httpd has another process of the same name for a moment.
  const serving = () => new Set(leftoversOf(cluster.containerd).processes.filter((command) => command.includes("httpd")));
  const processes = serving();
  await cluster.killAndStart();
  const after = await cluster.podOnce("web", isReady);
  assert.deepEqual(identity(after), identity(before));
  assert.deepEqual(serving(), processes);
  // What it counted is known still, and what it was about to do is done.
  const restarts = mainOf(crashing)?.restartCount ?? 0;
  await cluster.podOnce("crashing", (seen) => (mainOf(seen)?.restartCount ?? 0) > restarts);
  await cluster.kubectl("delete pod web crashing --wait=true");
  const nothing = { processes: [], mounts: [], cgroups: [], interfaces: [], addresses: [] };
  assert.deepEqual(await settledLeftovers(cluster.containerd, nothing), nothing);
});

clusterTest(
  "a kubelet in a process of its own does after kill -9 what should have been done meanwhile",
  async (cluster) => {
    await cluster.apply(web, pod("ended", { image: images.shell, ...script("sleep 3600") }), pod("deleted", { image: images.web1 }));
    const before = await cluster.podOnce("web", isReady);
    const ended = await cluster.podOnce("ended", isReady);
    await cluster.podOnce("deleted", isReady);
    await cluster.killAndStart(async () => {
      await cluster.containerd.runtime.stopContainer(idOf(ended), 0, AbortSignal.timeout(hangMs));
      await cluster.kubectl("delete pod deleted --wait=false");
    });
    await cluster.podGone("deleted");
    const again = await cluster.podOnce("ended", (seen) => mainOf(seen)?.restartCount === 1 && isReady(seen));
    assert.equal(mainOf(again)?.lastState?.terminated?.exitCode, 137);
    assert.deepEqual(identity(await cluster.podOnce("web", isReady)), identity(before));
  },
  { isKubeletApart: true },
);

clusterTest("containerd restarted beneath it: containers run on, and new ones start", async (cluster) => {
  await cluster.apply(web);
  const before = await cluster.podOnce("web", isReady);
  await cluster.containerd.kill();
  await cluster.containerd.start();
  await cluster.apply(pod("next", { image: images.web2 }));
  await cluster.podOnce("next", isReady);
  const after = await cluster.podOnce("web", isReady);
  assert.deepEqual(identity(after), identity(before));
});

clusterTest("a runtime that hangs makes the node unready, and is used again when it answers", async (cluster) => {
  const readyStatusIs = (wanted: string) => (node: { status?: { conditions?: { type: string; status: string; message?: string }[] } }) =>
    node.status?.conditions?.find(({ type }) => type === "Ready")?.status === wanted;
  await cluster.apply(web);
  const before = await cluster.podOnce("web", isReady);
  await cluster.containerd.freeze();
  const down = await waitFor(cluster.client, { ref: nodes, target: "real", until: readyStatusIs("False") }, { timeoutMs: hangMs });
  assert.match(down?.status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "", /container runtime is down/);
  cluster.containerd.thaw();
  await waitFor(cluster.client, { ref: nodes, target: "real", until: readyStatusIs("True") }, { timeoutMs: hangMs });
  const after = await cluster.podOnce("web", isReady);
  assert.deepEqual(identity(after), identity(before));
});
