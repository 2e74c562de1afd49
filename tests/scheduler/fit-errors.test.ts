/** What our scheduler says of Pods that fit nowhere is what kube-scheduler says of them, word for word. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { startControllers } from "@coxswain/client";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster, virtualClock } from "coxswain/testing";
import { fitErrorOn } from "./fit-errors/ask.ts";
import { caseFiles } from "./fit-errors/case.ts";

for (const { path, cases } of caseFiles())
  for (const one of cases)
    test(`${basename(path, ".json")}: ${one.name}`, async () => {
      await using cluster = await startCluster({ clock: virtualClock() });
      const client = cluster.clientFor({ name: "system:kube-scheduler" });
      await using scheduling = startControllers([createScheduler({ profiles: [defaultProfile()] })], { client });
      await scheduling.ready;
      const fitError = await fitErrorOn({ client: cluster.client, settle: () => cluster.advance({ ms: 700 }) }, one);
      assert.deepEqual(fitError, one.fitError);
    });
