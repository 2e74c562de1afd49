import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "ports of a network policy",
    of: ["networking.k8s.io", "v1", "networkpolicies"],
    object: {
      spec: {
        podSelector: {},
        ingress: [
          {
            ports: [
              { port: "http", endPort: 9 },
              { port: 10, endPort: 5 },
            ],
            from: [{}],
          },
        ],
      },
    },
    expect: [
      "spec.ingress[0].ports[0].endPort: Invalid value: 9: may not be specified when `port` is non-numeric",
      "spec.ingress[0].ports[1].endPort: Invalid value: 10: must be greater than or equal to `port`",
      "spec.ingress[0].from[0]: Required value: must specify a peer",
    ],
  },
  {
    name: "an address that is not canonical",
    of: ["networking.k8s.io", "v1", "ipaddresses"],
    object: { metadata: { name: "2001:DB8::1" }, spec: { parentRef: { resource: "services", name: "" } } },
    expect: [
      'metadata.name: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
      "spec.parentRef.name: Required value",
    ],
  },
  {
    name: "that ranges may only grow by the other family",
    of: ["networking.k8s.io", "v1", "servicecidrs"],
    object: { spec: { cidrs: ["10.1.0.0/24", "2001:db8::/64"] } },
    before: { spec: { cidrs: ["10.0.0.0/24"] } },
    expect: ['spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'],
  },
]);
