/** Tests that share a cluster with real containers, and what must be gone when its Pods are. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Leftovers, leftoversOf } from "../containerd/leftovers.ts";
import { type RealCluster, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";

/** Each test in it uses Pods of its own names. */
export function withRealCluster(title: string, concurrency: number, tests: (cluster: () => RealCluster) => void): void {
  describe(title, { concurrency, skip: whyNoRealCluster() ?? false }, () => {
    let cluster: RealCluster | undefined;
    let beginning: Leftovers | undefined;
    const started = (): RealCluster => {
      assert.ok(cluster !== undefined);
      return cluster;
    };
    before(async () => {
      cluster = await startRealCluster();
      beginning = leftoversOf(cluster.containerd);
    });
    after(async () => {
      await using ending = started();
      await ending.kubectl("delete deployments --all");
      await ending.kubectl("delete pods --all --grace-period=1 --wait=true");
      assert.deepEqual(await settled(ending, beginning), beginning);
    });
    tests(started);
  });
}

/** What is left once nothing more goes away. */
async function settled(cluster: RealCluster, wanted: Leftovers | undefined): Promise<Leftovers> {
  for (let tries = 0; ; tries++) {
    const left = leftoversOf(cluster.containerd);
    if (tries === 100 || JSON.stringify(left) === JSON.stringify(wanted)) return left;
    await delay(100);
  }
}
