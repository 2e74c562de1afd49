import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLabelSelector } from "@coxswain/machinery";
import { planClaims } from "./claim.ts";
import { type PodUnderTest, podUnderTest } from "./pod-under-test.ts";

const owner = { metadata: { name: "web", namespace: "default", uid: "me" } };
const going = { metadata: { ...owner.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
const other = { labels: { app: "other" } };

const cases: readonly [name: string, given: PodUnderTest, expect: string, expectWhenGoing?: string][] = [
  ["keeps what is its own", { owner: "me" }, "owned", "owned"],
  ["keeps what is its own and on the way out", { owner: "me", isGoing: true }, "owned", "owned"],
  ["adopts an orphan", {}, "adopt"],
  ["lets go of what it no longer chooses", { owner: "me", ...other }, "release"],
  ["leaves what it does not choose", other, ""],
  ["leaves what is another's", { owner: "you" }, ""],
  ["does not take what is on the way out", { isGoing: true }, ""],
];
for (const [name, given, expect, expectWhenGoing = ""] of cases)
  test(name, () => {
    assert.equal(claimOutcome(owner, given), expect);
    assert.equal(claimOutcome(going, given), expectWhenGoing, "when the owner itself is on the way out");
  });

function claimOutcome(by: typeof owner, given: PodUnderTest): string {
  const plan = planClaims(by, parseLabelSelector("app=web"), [podUnderTest(given)]);
  return Object.entries(plan)
    .flatMap(([name, objects]) => (objects.length > 0 ? name : []))
    .join();
}

test("takes nothing from another namespace", () => {
  const elsewhere = { metadata: { ...owner.metadata, namespace: "elsewhere" } };
  assert.equal(claimOutcome(elsewhere, {}), "");
});
