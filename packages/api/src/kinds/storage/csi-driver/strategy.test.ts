import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { csiDriver } from "./strategy.ts";

test("no driver asks Pods to wait for it that did not before", () => {
  const wanted = { metadata: { name: "d.example.com" }, spec: { preventPodSchedulingIfMissing: true } };
  const { object } = createdAs(csiDriver, wanted);
  assert.equal(object.spec?.preventPodSchedulingIfMissing, undefined);
  assert.equal(updatedAs(csiDriver, object, wanted).object.spec?.preventPodSchedulingIfMissing, undefined);
  const before = { ...object, spec: { ...object.spec, preventPodSchedulingIfMissing: false } };
  assert.equal(updatedAs(csiDriver, before, wanted).object.spec?.preventPodSchedulingIfMissing, true);
});
