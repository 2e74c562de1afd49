import assert from "node:assert/strict";
import { test } from "node:test";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import { podWith } from "../plugin-under-test.ts";
import { handleOf } from "../volumes/objects-under-test.ts";
import { schedulingGates } from "./scheduling-gates.ts";

const { preEnqueue } = schedulingGates({}, handleOf());

test("a Pod with gates is not queued", () => {
  const gated = newPodInfo(podWith({ schedulingGates: [{ name: "quota" }, { name: "example.com/review" }] }));
  assert.deepEqual(preEnqueue?.(gated), {
    code: "UnschedulableAndUnresolvable",
    reasons: ["waiting for scheduling gates: [quota example.com/review]"],
  });
});

test("one without is", () => assert.equal(preEnqueue?.(newPodInfo(podWith())), undefined));
