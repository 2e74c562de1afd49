/** What every kind's Table row must hold, and what the less everyday kinds show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import reference from "../../reference/resources.json" with { type: "json" };
import { createResourceRegistry } from "../registry/registry.ts";
import type { Cell } from "../table/columns.ts";

const registry = createResourceRegistry();
const now = Date.parse("2026-01-01T01:00:00Z");
const metadata = { name: "x", creationTimestamp: "2026-01-01T00:00:00Z" };

for (const { group, version, resource, kind, strategy } of registry.all()) {
  const { columns } = strategy;
  if (columns === undefined) continue;
  test(`${group}/${version} ${resource}: a row has a cell for each column, for bookmarks too`, () => {
    // Kubernetes itself sends an age beyond the columns of addresses.
    const expected = resource === "ipaddresses" ? columns.definitions.length + 1 : columns.definitions.length;
    assert.equal(columns.cells({ kind, metadata: {} }, now).length, expected);
    assert.equal(columns.cells({ kind, metadata, spec: {}, status: {} }, now).length, expected);
  });
}

for (const { group, version, resource, columns } of reference as readonly ReferenceFacts[]) {
  if (columns === undefined) continue;
  test(`${group}/${version} ${resource}: the heads of the columns are those of Kubernetes`, () => {
    const definitions = registry.find(group, version, resource)?.strategy.columns?.definitions ?? [];
    assert.deepEqual(
      definitions.map(({ name, type, format, priority }) => [name, type, format, priority]),
      columns,
    );
  });
}

interface ReferenceFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Name, type, format and priority of each. */
  readonly columns?: readonly (readonly [string, string, string, number])[];
}

const cases: readonly {
  readonly name: string;
  readonly of: readonly [string, string, string];
  readonly object: KubeObject;
  readonly cells: Cell[];
}[] = [
  {
    name: "a quota's requests and limits",
    of: ["", "v1", "resourcequotas"],
    object: { status: { hard: { pods: "10", "limits.cpu": "2", cpu: "1" }, used: { pods: "3", cpu: "500m" } } },
    cells: ["x", "cpu: 500m/1, pods: 3/10", "limits.cpu: 0/2", "60m"],
  },
  {
    name: "a component's health",
    of: ["", "v1", "componentstatuses"],
    object: { conditions: [{ type: "Healthy", status: "False", message: "m", error: "e" }] },
    cells: ["x", "Unhealthy", "m", "e"],
  },
  {
    name: "an event of either group",
    of: ["events.k8s.io", "v1", "events"],
    object: {
      eventTime: "2026-01-01T00:59:00.000000Z",
      regarding: { kind: "Pod", name: "p", fieldPath: "spec.containers{c}" },
      reason: "R",
      type: "Normal",
      note: " n ",
      reportingController: "c",
      reportingInstance: "i",
    },
    cells: ["60s", "Normal", "R", "pod/p", "spec.containers{c}", "c, i", "n", "60s", 1, "x"],
  },
  {
    name: "an autoscaler's targets",
    of: ["autoscaling", "v2", "horizontalpodautoscalers"],
    object: {
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { kind: "Deployment", name: "d" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
          { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } },
          { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "1" } } },
        ],
      },
      status: {
        currentReplicas: 2,
        desiredReplicas: 2,
        currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 12, averageValue: "1m" } } }],
      },
    },
    cells: ["x", "Deployment/d", "cpu: 12%/80%, <unknown>/5 + 1 more...", "1", 5, 2, "60m"],
  },
  {
    name: "the same in the old form",
    of: ["autoscaling", "v1", "horizontalpodautoscalers"],
    object: { spec: { maxReplicas: 5, scaleTargetRef: { kind: "Deployment", name: "d" }, targetCPUUtilizationPercentage: 70 } },
    cells: ["x", "Deployment/d", "cpu: <unknown>/70%", "<unset>", 5, 0, "60m"],
  },
  {
    name: "the condition of a certificate request",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: {
      spec: { signerName: "a/b", username: "u", expirationSeconds: 7200 },
      status: { conditions: [{ type: "Approved", status: "True" }], certificate: "eA==" },
    },
    cells: ["x", "60m", "a/b", "u", "120m", "Approved,Issued"],
  },
  {
    name: "an address's owner",
    of: ["networking.k8s.io", "v1", "ipaddresses"],
    object: { spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } },
    cells: ["x", "services/n/s", "60m"],
  },
  {
    name: "the Pods of a network policy",
    of: ["networking.k8s.io", "v1", "networkpolicies"],
    object: { spec: { podSelector: { matchLabels: { b: "2", a: "1" } } } },
    cells: ["x", "a=1,b=2", "60m"],
  },
  {
    name: "a default storage class",
    of: ["storage.k8s.io", "v1", "storageclasses"],
    object: {
      metadata: { ...metadata, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "p",
      reclaimPolicy: "Retain",
      volumeBindingMode: "Immediate",
    },
    cells: ["x (default)", "p", "Retain", "Immediate", false, "60m"],
  },
  {
    name: "a driver's abilities",
    of: ["storage.k8s.io", "v1", "csidrivers"],
    object: {
      spec: { attachRequired: false, tokenRequests: [{ audience: "a" }, { audience: "b" }], volumeLifecycleModes: ["Persistent"] },
    },
    cells: ["x", false, false, false, "a,b", false, "Persistent", "60m"],
  },
  {
    name: "a priority class, wide",
    of: ["scheduling.k8s.io", "v1", "priorityclasses"],
    object: { value: 5, globalDefault: true, preemptionPolicy: "Never" },
    cells: ["x", 5, true, "60m", "Never"],
  },
  {
    name: "the first endpoints of a slice",
    of: ["discovery.k8s.io", "v1", "endpointslices"],
    object: {
      addressType: "IPv4",
      ports: [{ port: 80 }, { name: "n" }, {}],
      endpoints: [{ addresses: ["1.1.1.1", "1.1.1.2"] }, { addresses: ["1.1.1.3"] }, { addresses: ["1.1.1.4"] }],
    },
    cells: ["x", "IPv4", "80,n,*", "1.1.1.1,1.1.1.2,1.1.1.3 + 1 more...", "60m"],
  },
  {
    name: "what a policy binds",
    of: ["admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings"],
    object: { spec: { policyName: "p", paramRef: { name: "r" } } },
    cells: ["x", "p", "*/r", "60m"],
  },
  {
    name: "an API service that is down",
    of: ["apiregistration.k8s.io", "v1", "apiservices"],
    object: {
      spec: { service: { namespace: "n", name: "s" } },
      status: { conditions: [{ type: "Available", status: "False", reason: "MissingEndpoints" }] },
    },
    cells: ["x", "n/s", "False (MissingEndpoints)", "60m"],
  },
  {
    name: "a flow schema without its level",
    of: ["flowcontrol.apiserver.k8s.io", "v1", "flowschemas"],
    object: {
      spec: { matchingPrecedence: 9, priorityLevelConfiguration: { name: "l" }, distinguisherMethod: { type: "ByUser" } },
      status: { conditions: [{ type: "Dangling", status: "True" }] },
    },
    cells: ["x", "l", 9, "ByUser", "60m", "True"],
  },
  {
    name: "an exempt priority level",
    of: ["flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations"],
    object: { spec: { type: "Exempt", exempt: {} } },
    cells: ["x", "Exempt", "<none>", "<none>", "<none>", "<none>", "60m"],
  },
  {
    name: "a claim in use that is being deleted",
    of: ["resource.k8s.io", "v1", "resourceclaims"],
    object: {
      metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:30:00Z" },
      status: { allocation: {}, reservedFor: [{ resource: "pods", name: "p", uid: "u" }] },
    },
    cells: ["x", "deleted,allocated,reserved", "60m"],
  },
];
for (const { name, of, object, cells } of cases) {
  test(`shows ${name}`, () => assert.deepEqual(registry.find(...of)?.strategy.columns?.cells({ metadata, ...object }, now), cells));
}
