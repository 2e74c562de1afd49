/** Two controllers fight over a field. The fight is recorded, and comes again when it is replayed; against the mended controller it does not. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deployments, sleep, startControllers } from "@coxswain/client";
import { describeReplay, replayRecording, startCluster, virtualClock } from "coxswain/testing";
import { applies, writesReplicas } from "./06-two-controllers-one-object.ts";
import { type Act, actor, createWeb } from "./support/two-controllers.ts";

// Each looks at what it sees for a second before it acts.
const slowly =
  (act: Act): Act =>
  async (web, ctx) => {
    await sleep(ctx.client.clock, 1_000, ctx.signal);
    await act(web, ctx);
  };
const autoscaler = actor("autoscaler", slowly(writesReplicas(5)));
const deployer = actor("deployer", slowly(writesReplicas(3)));
// By apply it learns that the field is another's, and leaves it alone from then on.
const mended = actor("autoscaler", slowly(applies("autoscaler", { spec: { replicas: 5 } })));

const folder = mkdtempSync(join(tmpdir(), "coxswain-example-"));
try {
  // 1. In a test, say. A test that fails records its cluster by itself.
  const file = join(folder, "fight.cox");
  await recordFight(file);

  // 2. What the others wrote is written again, at its times, and the controller runs as it did.
  console.log("1. The recording against the autoscaler as it was.\n");
  console.log(await describeReplay(await replayRecording(file, { against: autoscaler, user: "autoscaler" })));

  // 3. What it wrote is left out: the mended one writes instead.
  console.log("2. The recording against the mended one.\n");
  const result = await replayRecording(file, { against: mended, user: "autoscaler" });
  console.log(`\n${await describeReplay(result)}`);
  process.exitCode = result.outcome.cameAgain ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}

async function recordFight(file: string): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true }) });
  await createWeb(cluster);
  await using _autoscaler = startControllers([autoscaler], {
    client: cluster.clientFor({ name: "autoscaler" }, { fieldManager: "autoscaler" }),
  });
  await using _deployer = startControllers([deployer], { client: cluster.clientFor({ name: "deployer" }, { fieldManager: "deployer" }) });
  await sleep(cluster.clock, 10_500);
  const { metadata, spec } = await cluster.client.resource(deployments).get("web");
  await cluster.record(file, {
    reason: `a Deployment of ${metadata?.generation} generations in ten seconds, and ${spec?.replicas} replicas`,
  });
}
