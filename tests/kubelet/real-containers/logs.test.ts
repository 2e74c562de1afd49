import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { isReady, pod, script } from "./manifests.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

withRealCluster("logs of real containers", 1, (cluster) => {
  test("a log is rotated at its size limit, and a follower misses nothing", async () => {
    const { apply, podOnce, kubectl, containerd } = cluster();
    const go = "while [ ! -e /tmp/go ]; do sleep 0.2; done";
    const text = `echo first; yes 0123456789abcdef0123456789abcdef0123456789abcdef | head -n 150000; echo long; ${go}; echo after; sleep 3600`;
    await apply(pod("talkative", { image: images.shell, ...script(text) }));
    const seen = await podOnce("talkative", isReady);
    const following = kubectl("logs talkative --follow --limit-bytes=7350017");
    const directory = join(containerd.folder, "kubelet", "logs", `default_talkative_${seen.metadata?.uid}`, "main");
    const until = performance.now() + hangMs;
    while (!readdirSync(directory).some((name) => /^0\.log\.\d{8}-\d{6}$/.test(name))) {
      assert.ok(performance.now() < until, "the log is not reopened");
      await delay(200);
    }
    await kubectl("exec talkative -- touch /tmp/go");
    const lines = (await following).trimEnd().split("\n");
    assert.deepEqual([lines[0], lines.length, lines.at(-2)?.slice(0, 4), lines.at(-1)], ["first", 150_003, "long", "after"]);
    // A slow machine reopens the log before all of it is written: what follows is the newest file, whatever that begins with.
    const newest = await kubectl("logs talkative");
    assert.ok(newest.endsWith("after\n") && !newest.startsWith("first"), newest.slice(0, 100));
  });
});
