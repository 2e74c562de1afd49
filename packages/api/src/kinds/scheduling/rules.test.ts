import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "what a priority class may be worth",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { value: 1_000_000_001 },
    expect: ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
  },
  {
    name: "system priority classes",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { metadata: { name: "system-mine" }, value: 1 },
    expect: [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  },
  {
    name: "that a priority stays",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { value: 2 },
    before: { value: 1 },
    expect: ["value: Forbidden: may not be changed in an update."],
  },
]);
