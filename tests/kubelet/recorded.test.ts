/** What the real kubelet made of Pods, and what ours makes of them where nothing really runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "@coxswain/client";
import type { ContainerScript, SimulatedContainer } from "@coxswain/kubelet";
import { startCluster, virtualClock } from "coxswain/testing";
import { images } from "./containerd/images.ts";
import { play, type Recording } from "./recorded/play.ts";
import { recordingOf, scenarios } from "./recorded/recordings.ts";
import { missingImage, type Scenario } from "./recorded/scenario.ts";

for (const scenario of scenarios) {
  const { name, onlyReal } = scenario;
  test(`${name}, as the real kubelet has it`, { skip: onlyReal ?? false }, async () => {
    await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    const run = (container: SimulatedContainer) => scriptOf(scenario, container);
    const missing = { failPull: "connection refused" };
    await cluster.run({ nodes: ["real"], images: { [missingImage]: missing, "*": { run } } });
    await haveImages(cluster);
    assert.deepEqual(await play(cluster.client, "real", scenario), expected(scenario));
  });
}

/** Whose containers crash again and again. */
const reportedSooner = new Set([
  "completes-always",
  "crash-loop",
  "init-fails-always",
  "killed-in-loop",
  "rules-of-restart",
  "startup-fails",
]);

interface Ends {
  readonly containerStatuses?: readonly { readonly containerID: string; readonly lastState: { terminated?: { containerID: string } } }[];
  readonly initContainerStatuses?: Ends["containerStatuses"];
}

/**
 * We say at once that a container waits for its next start, and the real kubelet when it looks again. Of a container that waits
 * when its Pod is deleted both report the same end twice.
 */
function expected(scenario: Scenario): Recording {
  const recording = recordingOf(scenario);
  const { containerStatuses = [], initContainerStatuses = [] } = recording.statuses.gone as Ends;
  for (const { containerID, lastState } of reportedSooner.has(scenario.name) ? [...containerStatuses, ...initContainerStatuses] : [])
    if (lastState.terminated !== undefined) lastState.terminated.containerID = containerID;
  return recording;
}

function scriptOf({ plays = {} }: Scenario, { name, attempt }: SimulatedContainer): ContainerScript {
  const scripts = [plays[name] ?? {}].flat();
  return scripts[Math.min(attempt, scripts.length - 1)] ?? {};
}

/** A real node has them before. */
async function haveImages({ client, waitFor }: Awaited<ReturnType<typeof startCluster>>): Promise<void> {
  const containers = [images.shell, images.web1, images.web2, images.hog].map((image, index) => ({ name: `c${index}`, image }));
  await client.resource(pods).create({ metadata: { name: "images" }, spec: { nodeName: "real", containers } });
  await waitFor(pods, "images", "condition=Ready");
  await client.resource(pods).delete("images");
  await waitFor(pods, "images", "delete");
}
