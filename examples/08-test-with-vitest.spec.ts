/** How to test a controller with Vitest. The cluster does not care which test runner it is in. */
import { configMaps, controller, done, secrets, setControllerReference, startControllers } from "@coxswain/client";
import { FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

// What is tested: whatever a ConfigMap with the label `mirror` says, a Secret of its name says too, and belongs to it.
const mirror = controller({
  name: "mirror",
  for: configMaps,
  labelSelector: "mirror",
  owns: [secrets],
  reconcile: async (_ref, { object, client, signal }) => {
    if (object === undefined) return done;
    const { name = "", namespace = "default" } = object.metadata ?? {};
    const secret = setControllerReference({ metadata: { name, namespace }, stringData: object.data ?? {} }, object, { kind: configMaps });
    await client.resource(secrets).apply(secret, { fieldManager: "mirror", signal });
    return done;
  },
});

const text = (base64 = "") => Buffer.from(base64, "base64").toString();
const settings = (mode: string) => ({ metadata: { name: "settings", labels: { mirror: "yes" } }, data: { mode } });

describe("the mirror", () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  });
  afterEach(() => cluster[Symbol.asyncDispose]());

  const untilMirrored = (mode: string) => cluster.waitFor(secrets, "settings", ({ data }) => text(data?.mode) === mode);

  test("shows what is there, and what becomes of it", async () => {
    await using _controllers = startControllers([mirror], cluster);
    const maps = cluster.client.resource(configMaps);
    await maps.create(settings("fast"));
    await untilMirrored("fast");
    await maps.modify("settings", (draft) => ({ ...draft, data: { mode: "slow" } }));
    const secret = await untilMirrored("slow");
    expect(secret.metadata?.ownerReferences).toMatchObject([{ kind: "ConfigMap", name: "settings", controller: true }]);
  });

  test("restores what another client changes or deletes", async () => {
    await using _controllers = startControllers([mirror], cluster);
    await cluster.client.resource(configMaps).create(settings("fast"));
    await untilMirrored("fast");
    await cluster.client.resource(secrets).patch("settings", { type: "merge", patch: { data: { mode: null } } });
    await untilMirrored("fast");
    await cluster.client.resource(secrets).delete("settings");
    await untilMirrored("fast");
  });

  test.each(["conflict", "lose-request", "lose-answer"] as const)("gets over a %s", async (kind) => {
    const faults = new FaultScript([{ on: { verb: "patch", resource: "secrets" }, times: 3, fault: { kind } }]);
    await using _controllers = startControllers([mirror], { client: cluster.clientFor({ name: "mirror" }, { faults }) });
    await cluster.client.resource(configMaps).create(settings("fast"));
    await untilMirrored("fast");
    expect(faults.fired[0]?.fault).toEqual({ kind });
  });
});
