import assert from "node:assert/strict";
import { test } from "node:test";
import { podWarnings } from "./warnings.ts";

const container = { name: "c", image: "i" };
const projected = (...sources: object[]) => ({ volumes: [{ name: "v", projected: { sources } }] });
const token = { serviceAccountToken: { path: "test" } };

const cases: readonly { readonly name: string; readonly spec: object; readonly warnings: readonly string[] }[] = [
  {
    name: "node labels of old",
    spec: { nodeSelector: { "node-role.kubernetes.io/master": "", "beta.kubernetes.io/os": "linux", "app.kubernetes.io/created-by": "x" } },
    warnings: [
      'spec.nodeSelector[node-role.kubernetes.io/master]: use "node-role.kubernetes.io/control-plane" instead',
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      "spec.nodeSelector[app.kubernetes.io/created-by]: deprecated since v1.9",
    ],
  },
  {
    name: "a preference that no label can meet",
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] } },
          ],
        },
      },
    },
    warnings: [
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: - is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  },
  {
    name: "two files at one path",
    spec: {
      volumes: [
        {
          name: "v",
          configMap: {
            name: "m",
            items: [
              { key: "a", path: "test/" },
              { key: "b", path: "test" },
            ],
          },
        },
      ],
    },
    warnings: ['volume "v" (ConfigMap "m"): overlapping paths: "test" with "test"'],
  },
  {
    name: "a file where another source has a directory",
    spec: projected({ secret: { name: "s", items: [{ key: "k", path: "test/file" }] } }, token),
    warnings: ['volume "v" (Projected): overlapping paths: "test" (ServiceAccountToken) with "test/file" (Secret "s")'],
  },
  {
    name: "paths that only begin alike are fine",
    spec: projected({ secret: { name: "s", items: [{ key: "k", path: "test2" }] } }, token),
    warnings: [],
  },
  {
    name: "one name for two ports",
    spec: {
      containers: [
        { ...container, ports: [{ name: "http", containerPort: 80, protocol: "TCP" }] },
        { ...container, name: "d", ports: [{ name: "http", containerPort: 81, protocol: "TCP" }] },
      ],
    },
    warnings: [
      'spec.containers[1].ports[0]: duplicate port name "http" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  },
  {
    name: "addresses that are not written as they should be",
    spec: { dnsConfig: { nameservers: ["2001:DB8::1"] }, hostAliases: [{ ip: "2001:DB8::2" }] },
    warnings: [
      'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.hostAliases[0].ip: IPv6 address "2001:DB8::2" should be in RFC 5952 canonical format ("2001:db8::2")',
    ],
  },
];

for (const { name, spec, warnings } of cases) {
  test(`warns of ${name}`, () => assert.deepEqual(podWarnings("", { containers: [container], ...spec }, undefined), warnings));
}
