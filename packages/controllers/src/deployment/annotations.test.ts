import assert from "node:assert/strict";
import { test } from "node:test";
import { lastRevision, nextRevision, notedReplicas, rolledBack, withRevision } from "./annotations.ts";
import { deploymentUnderTest, replicaSetUnderTest } from "./rollout-under-test.ts";

const revision = "deployment.kubernetes.io/revision";
const history = "deployment.kubernetes.io/revision-history";
const applied = "kubectl.kubernetes.io/last-applied-configuration";
const thousand = Array.from({ length: 700 }, (_, i) => i + 100)
  .join(",")
  .slice(0, 1999);

const cases: readonly {
  name: string;
  before: Record<string, string>;
  deployment?: Record<string, string>;
  next: number;
  expect: Record<string, string>;
}[] = [
  { name: "gives a new ReplicaSet its revision", before: {}, next: 4, expect: { [revision]: "4" } },
  { name: "remembers the revision it had", before: { [revision]: "1" }, next: 4, expect: { [revision]: "4", [history]: "1" } },
  {
    name: "remembers all that it had",
    before: { [revision]: "4", [history]: "1,2" },
    next: 7,
    expect: { [revision]: "7", [history]: "1,2,4" },
  },
  { name: "keeps a revision that is no older", before: { [revision]: "5" }, next: 5, expect: { [revision]: "5" } },
  { name: "leaves alone what is no number", before: { [revision]: "x" }, deployment: { note: "b" }, next: 5, expect: { [revision]: "x" } },
  {
    name: "has its Deployment's annotations but for those of its own",
    before: { [revision]: "1", note: "a", old: "kept" },
    deployment: { note: "b", [revision]: "9", [applied]: "{}" },
    next: 1,
    expect: { [revision]: "1", note: "b", old: "kept" },
  },
];
for (const { name, before, deployment = {}, next, expect } of cases)
  test(name, () => assert.deepEqual(withRevision(before, deploymentUnderTest({ annotations: deployment }), BigInt(next)), expect));

test("forgets the oldest revisions where there are too many", () => {
  const { [history]: kept = "" } = withRevision({ [revision]: "9999", [history]: thousand }, deploymentUnderTest(), 10_000n);
  assert.ok(kept.length <= 2000 && kept.length > 1990, `${kept.length} characters`);
  assert.match(kept, /^10[1-9],.*,9999$/);
});

test("a Deployment that goes back has the annotations of then, but its own stay", () => {
  const replicaSet = replicaSetUnderTest({ revision: 1, wants: 0, annotations: { note: "then" } });
  assert.deepEqual(rolledBack({ note: "now", more: "now", [applied]: "{}", [revision]: "2" }, replicaSet), {
    note: "then",
    [applied]: "{}",
    [revision]: "2",
  });
});

const revisions: readonly { name: string; of: readonly string[]; next: bigint; last: bigint }[] = [
  { name: "of none", of: [], next: 1n, last: 0n },
  { name: "of one", of: ["3"], next: 4n, last: 0n },
  { name: "in any order", of: ["3", "1", "2"], next: 4n, last: 2n },
  {
    name: "beyond what a double holds",
    of: ["3546343826724305832", "+3546343826724305831"],
    next: 3546343826724305833n,
    last: 3546343826724305831n,
  },
  { name: "what is no int64 counts for nothing", of: ["x", "9223372036854775808", "1"], next: 2n, last: 0n },
  { name: "the highest wraps around", of: ["9223372036854775807"], next: -9223372036854775808n, last: 0n },
];
for (const { name, of, next, last } of revisions)
  test(`the next revision and the last: ${name}`, () => {
    const sets = of.map((text, i) => replicaSetUnderTest({ revision: i, wants: 0, annotations: { [revision]: text } }));
    assert.deepEqual([nextRevision(sets), lastRevision(sets)], [next, last]);
  });

const noted: readonly [text: string, expect: number | undefined][] = [
  ["3", 3],
  ["0", 0],
  ["-1", undefined],
  ["2147483648", undefined],
  ["x", undefined],
];
for (const [text, expect] of noted)
  test(`reads ${text} as ${expect}`, () => {
    const replicaSet = replicaSetUnderTest({ revision: 1, wants: 0, annotations: { "deployment.kubernetes.io/max-replicas": text } });
    assert.equal(notedReplicas(replicaSet, "deployment.kubernetes.io/max-replicas"), expect);
  });
