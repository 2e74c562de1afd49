import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { AddOptions } from "../workqueue/work-queue.ts";
import { createPacing } from "./pacing.ts";

const web: ObjectRef = { namespace: "default", name: "web" };

function paced() {
  const clock = new ManualClock(0);
  const added: (readonly [string, AddOptions | undefined])[] = [];
  const pacing = createPacing({ add: ({ name }, opts) => void added.push([name, opts]) }, clock);
  return { clock, added, pacing };
}

const costs = [
  { name: "a cheap reconcile is repeated at once", tookMs: 3, afterMs: undefined },
  { name: "a noticeable one after three times as long as it took", tookMs: 20, afterMs: 60 },
  { name: "no reconcile waits for long", tookMs: 10_000, afterMs: 250 },
];
for (const { name, tookMs, afterMs } of costs)
  test(name, () => {
    const { added, pacing } = paced();
    pacing.began(web);
    pacing.add(web, { priority: "normal" });
    pacing.add(web, { priority: "low" });
    assert.deepEqual(added, [], "not while it runs");
    pacing.ended(web, tookMs);
    assert.deepEqual(added, [["web", { priority: "normal", ...(afterMs === undefined ? {} : { afterMs }) }]]);
  });

test("what comes during the pause waits for its end; others, and what comes later, do not wait", () => {
  const { clock, added, pacing } = paced();
  pacing.began(web);
  pacing.ended(web, 20);
  assert.deepEqual(added, [], "nothing has changed");
  clock.advance(20);
  pacing.add(web, {});
  pacing.add({ name: "other" }, {});
  clock.advance(40);
  pacing.add(web, {});
  assert.deepEqual(added, [
    ["web", { afterMs: 40 }],
    ["other", {}],
    ["web", {}],
  ]);
});
