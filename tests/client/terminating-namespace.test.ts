import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, controller, isNamespaceTerminating, namespaces, secrets } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { startCluster, virtualClock } from "coxswain/testing";
import { running } from "./library.ts";

test("a reconcile that would create something in a namespace that goes is not repeated", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client, clock } = cluster;
  await client.resource(namespaces).create({ metadata: { name: "going" } });
  const here = { name: "a", namespace: "going" };
  await client.resource(configMaps).create({ metadata: here });
  await client.resource(namespaces).delete("going");
  const refused: boolean[] = [];
  const copying = controller({
    name: "copying",
    for: configMaps,
    namespace: "going",
    reconcile: async (_, { client }) => {
      await client
        .resource(secrets)
        .create({ metadata: here })
        .catch((error: unknown) => {
          refused.push(isNamespaceTerminating(error));
          throw error;
        });
      return { kind: "done" };
    },
  });
  await running([copying], cluster, () => sleep(clock, 600_000));
  assert.deepEqual(refused, [true]);
});
