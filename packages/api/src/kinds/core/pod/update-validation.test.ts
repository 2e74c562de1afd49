import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { pod } from "./strategy.ts";

const container = { name: "c", image: "busybox" };
const bodyOf = (spec: object, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [container], ...spec },
});

const stored = createdAs(pod, bodyOf({ activeDeadlineSeconds: 100, tolerations: [{ key: "k", operator: "Exists" }] })).object;
const changed = (spec: object) => ({ ...stored, spec: { ...stored.spec, ...spec } });
const changes: readonly { readonly name: string; readonly to: object; readonly problems: readonly RegExp[] }[] = [
  { name: "an image may change", to: changed({ containers: [{ ...stored.spec!.containers[0], image: "busybox:2" }] }), problems: [] },
  { name: "a deadline may come nearer", to: changed({ activeDeadlineSeconds: 50 }), problems: [] },
  {
    name: "a deadline may not move away",
    to: changed({ activeDeadlineSeconds: 101 }),
    problems: [/^spec.activeDeadlineSeconds: Invalid value: 101: must be less than or equal to previous value$/],
  },
  {
    name: "tolerations are only added",
    to: changed({ tolerations: [{ key: "other", operator: "Exists" }] }),
    problems: [/^spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds$/],
  },
  {
    name: "containers stay",
    to: changed({ containers: [container, { ...container, name: "d" }] }),
    problems: [/^spec.containers: Forbidden: pod updates may not add or remove containers$/],
  },
  {
    name: "nothing else may change",
    to: changed({ nodeName: "n" }),
    problems: [
      /^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,[^\n]*previously negative\)\n/,
    ],
  },
];

for (const { name, to, problems } of changes) {
  test(name, () => {
    const found = updatedAs(pod, stored, to).problems;
    assert.equal(found.length, problems.length, found.join("\n"));
    for (const [i, problem] of problems.entries()) assert.match(found[i]!, problem);
  });
}

test("a gated pod may become pickier about nodes, and lose its gates", () => {
  const gated = createdAs(pod, bodyOf({ schedulingGates: [{ name: "example.com/g" }], nodeSelector: { a: "b" } })).object;
  assert.equal(gated.status?.conditions?.[0]?.reason, "SchedulingGated");
  const to = (spec: object) => updatedAs(pod, gated, { ...gated, spec: { ...gated.spec, ...spec } }).problems;
  assert.deepEqual(to({ nodeSelector: { a: "b", c: "d" }, schedulingGates: [] }), []);
  assert.deepEqual(to({ nodeSelector: { c: "d" } }), [
    'spec.nodeSelector: Invalid value: {"c":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
  ]);
  assert.deepEqual(to({ schedulingGates: [{ name: "example.com/h" }] }), [
    "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/h'",
  ]);
});
