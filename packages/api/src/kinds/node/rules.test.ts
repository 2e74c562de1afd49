import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "a runtime class's handler",
    of: ["node.k8s.io", "v1", "runtimeclasses"],
    object: { handler: "b" },
    before: { handler: "a" },
    expect: ['handler: Invalid value: "b": field is immutable'],
  },
]);
