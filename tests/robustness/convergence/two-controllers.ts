/** The example of two controllers that write to one Deployment (examples/06), each in a process of its own. */
import assert from "node:assert/strict";
import { deployments, sleep, startControllers } from "@coxswain/client";
import type { Scenario, TestCluster } from "coxswain/testing";
import { type Act, actor, createWeb, type Deployment } from "../../../examples/support/two-controllers.ts";
import { type FaultChoice, lateMs } from "./fault-choice.ts";
import { keepRunning } from "./keep-running.ts";
import { objectsIn, sameEachTime } from "./outcome.ts";

const longTimeout = { timeoutMs: 14_400_000 };

const isBoth = ({ spec, metadata }: Deployment): boolean => spec?.replicas === 5 && metadata?.labels?.team === "shop";

/** It is changed by a manager that takes no field from others, and then replaced. */
async function useWeb(cluster: TestCluster): Promise<void> {
  const web = cluster.client.resource(deployments);
  await createWeb(cluster);
  await cluster.waitFor(deployments, "web", isBoth, longTimeout);
  await web.patch("web", { type: "merge", patch: { metadata: { annotations: { seen: "yes" } } } });
  await web.delete("web");
  await cluster.waitFor(deployments, "web", "delete", longTimeout);
  await createWeb(cluster);
  await cluster.waitFor(deployments, "web", isBoth, longTimeout);
  await sleep(cluster.clock, lateMs + 10_000);
  const { metadata } = await cluster.waitFor(deployments, "web", isBoth, longTimeout);
  await sleep(cluster.clock, 60_000);
  assert.equal((await web.get("web")).metadata?.resourceVersion, metadata?.resourceVersion, "they have come to rest");
}

export function pairScenario(faultChoice: FaultChoice, acts: Readonly<Record<string, Act>>): Scenario {
  const check = sameEachTime();
  return async ({ client, cluster, signal }) => {
    faultChoice.begin();
    const stop = new AbortController();
    const end = AbortSignal.any([signal, stop.signal]);
    const running = Object.entries(acts).map(([name, act]) =>
      keepRunning(
        {
          name,
          faultChoice,
          client: client.with({ fieldManager: name }),
          start: (own) => startControllers([actor(name, act)], { client: own, syncTimeoutMs: longTimeout.timeoutMs }),
        },
        end,
      ),
    );
    await Promise.race([useWeb(cluster), ...running.map((one) => one.then(() => Promise.reject(new Error("a controller has ended"))))]);
    check(await objectsIn(cluster, [deployments]));
    stop.abort();
    await Promise.all(running);
  };
}
