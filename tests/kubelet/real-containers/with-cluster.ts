/** Tests that share a cluster with real containers, and what must be gone when its Pods are. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { type Leftovers, leftoversOf, settledLeftovers } from "../containerd/leftovers.ts";
import { type RealCluster, type RealClusterOptions, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";

/** Each test in it uses Pods of its own names. */
export function withRealCluster(
  title: string,
  concurrency: number,
  tests: (cluster: () => RealCluster) => void,
  options: RealClusterOptions = {},
): void {
  describe(title, { concurrency, skip: options.missing ?? whyNoRealCluster() ?? false }, () => {
    let cluster: RealCluster | undefined;
    let beginning: Leftovers | undefined;
    const started = (): RealCluster => {
      assert.ok(cluster !== undefined);
      return cluster;
    };
    before(async () => {
      cluster = await startRealCluster(options);
      beginning = leftoversOf(cluster.containerd);
    });
    after(async () => {
      await using ending = started();
      await ending.kubectl("delete deployments --all");
      await ending.kubectl("delete pods --all --grace-period=1 --wait=true");
      assert.deepEqual(await settledLeftovers(ending.containerd, beginning), beginning);
    });
    tests(started);
  });
}
