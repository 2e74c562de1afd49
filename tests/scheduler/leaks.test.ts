import assert from "node:assert/strict";
import { test } from "node:test";
import { events, pods, startControllers } from "@coxswain/client";
import { createScheduler, defaultProfile, everywhere, pluginFactories } from "@coxswain/scheduler";
import { startCluster, virtualClock } from "coxswain/testing";
import { addNode, pod } from "./scheduler-under-test.ts";

test("a scheduler that ends leaves no timer, whatever its Pods were waiting for; the next one takes them over", async () => {
  const clock = virtualClock();
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  await addNode(client, "only", "1");
  // From the first Event on the server waits for it to expire.
  const involvedObject = { kind: "Node", name: "only" };
  await client.resource(events).create({ metadata: { name: "first", namespace: "default" }, involvedObject });
  await clock.settle();
  const before = clock.waiting;
  const base = defaultProfile();
  const names = [...(base.plugins.preFilter ?? []), "Gate"];
  const profile = {
    ...base,
    plugins: everywhere(names.map((name) => ({ name }))),
    factories: new Map([
      ...pluginFactories,
      [
        "Gate",
        () => ({ name: "Gate", permit: (_: unknown, { name }: { name: string }) => (name === "kept" ? { waitMs: 600_000 } : undefined) }),
      ],
    ]),
  };
  {
    const scheduler = createScheduler({ profiles: [profile] });
    await using _running = startControllers([scheduler], { client: cluster.clientFor({ name: "one" }) });
    await scheduler.ready;
    await client.resource(pods).create(pod("kept", "500m"));
    await client.resource(pods).create(pod("huge", "64"));
    await client.resource(pods).create(pod("gated", "100m", { schedulingGates: [{ name: "example.com/wait" }] }));
    await clock.settle();
    assert.ok(clock.waiting > before);
  }
  await clock.settle();
  assert.equal(clock.waiting, before);
  const scheduler = createScheduler({ profiles: [defaultProfile()] });
  await using _running = startControllers([scheduler], { client: cluster.clientFor({ name: "two" }) });
  await scheduler.ready;
  await clock.settle();
  assert.equal((await client.resource(pods).get("kept")).spec?.nodeName, "only");
});
