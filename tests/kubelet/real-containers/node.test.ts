/** What kubectl does to a node shows in its Pods. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { isReady, pod } from "./manifests.ts";
import type { Pod } from "./real-cluster.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

const isUnschedulable = ({ status }: Pod): boolean => status?.conditions?.some(({ reason }) => reason === "Unschedulable") === true;

withRealCluster("a real node", 1, (cluster) => {
  test("cordon keeps new Pods away, uncordon lets them in", async () => {
    const { apply, podOnce, eventOnce, kubectl } = cluster();
    await kubectl("cordon real");
    assert.match(await kubectl("get node real"), /^real +Ready,SchedulingDisabled/m);
    await apply(pod("kept-away", { image: images.web1 }));
    await podOnce("kept-away", isUnschedulable);
    assert.match(
      (await eventOnce("kept-away", "FailedScheduling")).message ?? "",
      /^0\/1 nodes are available: 1 node\(s\) were unschedulable\./,
    );
    await kubectl("uncordon real");
    assert.match(await kubectl("wait --for=condition=Ready pod/kept-away --timeout=5m"), /condition met/);
  });

  test("a taint ends what does not tolerate it, and only that", async () => {
    const { apply, podOnce, podGone, kubectl } = cluster();
    const tolerations = [{ key: "moving", operator: "Exists" as const, effect: "NoExecute" as const }];
    await apply(pod("tolerant", { image: images.web1 }, { tolerations }), pod("intolerant", { image: images.web1 }));
    await Promise.all([podOnce("tolerant", isReady), podOnce("intolerant", isReady)]);
    await kubectl("taint node real moving=now:NoExecute");
    await podGone("intolerant");
    assert.ok(isReady(await podOnce("tolerant", () => true)));
    await kubectl("taint node real moving-");
  });

  test("drain ends the Pods in their own time", async () => {
    const { apply, podOnce, kubectl, containerd } = cluster();
    await apply(pod("drained", { image: images.web1 }));
    await podOnce("drained", isReady);
    assert.match(await kubectl("drain real --force --timeout=5m"), /node\/real drained/);
    assert.equal(await kubectl("get pods -o name"), "");
    const running = (await containerd.runtime.listContainers(AbortSignal.timeout(hangMs))).filter(({ state }) => state === "running");
    assert.deepEqual(running, []);
    await kubectl("uncordon real");
  });
});
