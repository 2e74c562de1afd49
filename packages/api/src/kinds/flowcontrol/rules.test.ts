import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "a flow schema's subjects and verbs",
    of: ["flowcontrol.apiserver.k8s.io", "v1", "flowschemas"],
    object: {
      spec: {
        priorityLevelConfiguration: { name: "l" },
        matchingPrecedence: 1,
        rules: [{ subjects: [{ kind: "User", group: { name: "g" } }], nonResourceRules: [{ verbs: ["see"], nonResourceURLs: ["x"] }] }],
      },
    },
    expect: [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["see"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "x": must start with slash',
    ],
  },
  {
    name: "a hand that is larger than the deck",
    of: ["flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations"],
    object: { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: { queues: 4, handSize: 5 } } } } },
    expect: ["spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)"],
  },
]);
