/** What of a Pod waits until NetworkPolicies about it count, and what does not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "@coxswain/client";
import type { IsolatePod, NetworkedPod, PodRuntime } from "@coxswain/kubelet";
import { waitUntil } from "@coxswain/machinery/testing";
import { isReady, script, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const setup = { name: "setup", image: "registry.example/setup:1" };

/** A gate that is shut until it is opened, and keeps who has come to it. */
function gate() {
  const opened = Promise.withResolvers<void>();
  const asked: NetworkedPod[] = [];
  const isolate: IsolatePod = (pod, report, signal) => {
    asked.push(pod);
    report("rules take their time");
    signal.addEventListener("abort", () => opened.reject(signal.reason), { once: true });
    return opened.promise;
  };
  return { asked, isolate, open: () => opened.resolve() };
}

test("no container of a Pod starts, and no init container, before it is isolated with the addresses of its sandbox", async () => {
  const { asked, isolate, open } = gate();
  const begun: string[] = [];
  const before = (verb: keyof PodRuntime, about: string): void => {
    if (verb === "startContainer") begun.push(about);
  };
  await using node = await startNode({ before, dependencies: { isolate } });
  const { metadata } = await node.create({ initContainers: [setup] }, script({ "run-for": "1s" }));
  await waitUntil("the kubelet asks", () => asked.length > 0);
  await node.cluster.advance({ seconds: 60 });
  assert.deepEqual(begun, []);
  assert.deepEqual(asked, [{ uid: metadata?.uid, namespace: "default", name: "web", addresses: ["10.244.0.2"] }]);
  assert.ok((await node.recorded()).includes("Warning NetworkNotReady: rules take their time"));
  open();
  await node.cluster.waitFor(pods, "web", (pod) => (statusOf(pod)?.restartCount ?? 0) > 1, { timeoutMs });
  // Once for a sandbox, however often its containers start.
  assert.equal(asked.length, 1);
});

test("a Pod in the network of its node waits for nobody", async () => {
  const { asked, isolate } = gate();
  await using node = await startNode({ dependencies: { isolate } });
  await node.create({ hostNetwork: true });
  await node.cluster.waitFor(pods, "web", isReady, { timeoutMs });
  assert.deepEqual(asked, []);
});

test("a Pod that is deleted while it waits ends without having begun", async () => {
  const { asked, isolate } = gate();
  await using node = await startNode({ dependencies: { isolate } });
  await node.create({});
  await waitUntil("the kubelet asks", () => asked.length > 0);
  await node.cluster.client.resource(pods, "default").delete("web");
  const isGone = async (): Promise<boolean> => {
    await node.cluster.advance({ seconds: 1 });
    return (await node.cluster.client.resource(pods, "default").list()).items.length === 0;
  };
  await waitUntil("it is gone", isGone);
});
