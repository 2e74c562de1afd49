import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "./node-state.ts";
import { plan } from "./plan.ts";

const nowMs = Date.UTC(2026, 0, 1);
const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

interface Case {
  readonly name: string;
  readonly node: Node;
  readonly taints?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = [
  { name: "a ready Node is left alone", node: { status: { conditions: [{ type: "Ready", status: "True" }] } } },
  {
    name: "a Node that is not ready is tainted",
    node: { status: { conditions: [{ type: "Ready", status: "False" }] } },
    taints: ["node.kubernetes.io/not-ready"],
  },
  {
    name: "a Node that is ready again loses the taint",
    node: { spec: { taints: [notReady] }, status: { conditions: [{ type: "Ready", status: "True" }] } },
    taints: [],
  },
  {
    name: "a cordoned Node is tainted",
    node: { spec: { unschedulable: true } },
    taints: ["node.kubernetes.io/unschedulable"],
  },
  {
    name: "deprecated labels follow the current ones",
    node: { metadata: { labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "arm64" } } },
    labels: { "beta.kubernetes.io/os": "linux" },
  },
];
for (const { name, node, taints, labels } of cases)
  test(name, () => {
    const planned = plan({ node, nowMs });
    assert.deepEqual(
      planned.taints?.map(({ key }) => key),
      taints,
    );
    assert.deepEqual(planned.labels, labels);
  });
