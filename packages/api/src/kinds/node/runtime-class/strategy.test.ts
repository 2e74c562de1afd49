import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs } from "../../kind-under-test.ts";
import { runtimeClass } from "./strategy.ts";

const cases = [
  {
    name: "a toleration stands once",
    body: {
      scheduling: {
        tolerations: [
          { key: "a", operator: "Exists" },
          { key: "a", operator: "Exists", tolerationSeconds: 3, effect: "" },
        ],
      },
    },
    expect: [
      "scheduling.tolerations[1].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set",
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":3}',
    ],
  },
  {
    name: "operators that compare are known, but off",
    body: { scheduling: { tolerations: [{ key: "a", operator: "Lt", value: "5" }] } },
    expect: ['scheduling.tolerations[0].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"'],
  },
  {
    name: "an overhead is an amount",
    body: { overhead: { podFixed: { cpu: "-1" } } },
    expect: ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  },
];
for (const { name, body, expect } of cases)
  test(name, () => assert.deepEqual(createdAs(runtimeClass, { handler: "h", ...body }).problems, expect));
