import assert from "node:assert/strict";
import { test } from "node:test";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import { podWith } from "../plugin-under-test.ts";
import { handleOf } from "../volumes/objects-under-test.ts";
import { schedulingGates } from "./scheduling-gates.ts";

const { preEnqueue } = schedulingGates({}, handleOf());

test("a Pod with scheduling gates, PreEnqueue rejects it", () => {
  const gated = newPodInfo(podWith({ schedulingGates: [{ name: "quota" }, { name: "example.com/review" }] }));
  assert.deepEqual(preEnqueue?.(gated), {
    code: "UnschedulableAndUnresolvable",
    reasons: ["waiting for scheduling gates: [quota example.com/review]"],
  });
});

test("a Pod without scheduling gates, PreEnqueue admits it", () => assert.equal(preEnqueue?.(newPodInfo(podWith())), undefined));
