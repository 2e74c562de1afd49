import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, createInformerSet, pods, type Transport } from "@coxswain/client";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { followOwnership } from "./follow-ownership.ts";

const unreachable: Transport = {
  send: () => Promise.reject(new Error("no request is expected")),
  [Symbol.asyncDispose]: async () => undefined,
};

test("owners are read from the copy of whole objects where somebody has one, and from one of metadata elsewhere", () => {
  const set = createInformerSet(createClient({ transport: unreachable, clock: systemClock, random: systemRandom }));
  set.use(pods, { namespace: "default" });
  set.use(pods, { labelSelector: "app=web" });
  const alone = followOwnership(set, pods);
  assert.deepEqual(alone.informer.selection, { metadataOnly: true });
  const whole = set.use(pods).informer;
  assert.equal(followOwnership(set, pods).informer, whole);
  assert.notEqual(followOwnership(set, { ...pods, version: "v2" }).informer, whole);
});
