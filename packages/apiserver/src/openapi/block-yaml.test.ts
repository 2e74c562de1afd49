import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "@coxswain/machinery";
import { blockYaml } from "./block-yaml.ts";

const cases: readonly (readonly [value: unknown, text: string])[] = [
  ["merge,retainKeys", "merge,retainKeys\n"],
  [true, "true\n"],
  ["true", '"true"\n'],
  ["", '""\n'],
  ["a: b", '"a: b"\n'],
  [5, "5\n"],
  [[], "[]\n"],
  [["a", "b"], "- a\n- b\n"],
  [{ group: "", kind: "Pod", version: "v1" }, 'group: ""\nkind: Pod\nversion: v1\n'],
  [
    [
      { group: "", kind: "Pod" },
      { group: "apps", kind: "Deployment" },
    ],
    '- group: ""\n  kind: Pod\n- group: apps\n  kind: Deployment\n',
  ],
  [
    [{ discriminator: "type", "fields-to-discriminateBy": { queuing: "Queuing" } }],
    "- discriminator: type\n  fields-to-discriminateBy:\n    queuing: Queuing\n",
  ],
  [{ a: { b: { c: ["d", { e: {} }] } } }, "a:\n    b:\n        c:\n            - d\n            - e: {}\n"],
  [[{ a: [{ b: "c", d: ["e"] }] }], "- a:\n    - b: c\n      d:\n        - e\n"],
];
for (const [value, text] of cases)
  test(JSON.stringify(value), async () => {
    assert.equal(blockYaml(value), text);
    assert.deepEqual(await parseYaml(text), value);
  });
