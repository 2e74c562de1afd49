import assert from "node:assert/strict";
import { test } from "node:test";
import { newPodInfo, refreshPodInfo } from "./new-pod-info.ts";
import type { Pod } from "./pod-info.ts";

type Spec = NonNullable<Pod["spec"]>;

const container = (name: string, requests: Record<string, string> = {}, more = {}) => ({ name, resources: { requests }, ...more });
const mebi = 2 ** 20;

interface Case {
  readonly name: string;
  readonly spec: Spec;
  readonly status?: NonNullable<Pod["status"]>;
  /** CPU in thousandths, memory in mebibytes; the second pair is what scoring goes by. */
  readonly expect: readonly [cpu: number, memory: number, scoredCpu: number, scoredMemory: number];
}

const cases: readonly Case[] = [
  {
    name: "containers are added up",
    spec: { containers: [container("a", { cpu: "1" }), container("b", { cpu: "500m", memory: "1Mi" })] },
    expect: [1500, 1, 1500, 201],
  },
  { name: "one that asks for nothing counts a little in scores", spec: { containers: [container("a")] }, expect: [0, 0, 100, 200] },
  {
    name: "the largest init container counts where it is more",
    spec: {
      initContainers: [container("i", { cpu: "3" }), container("j", { cpu: "2" })],
      containers: [container("a", { cpu: "1", memory: "1Mi" })],
    },
    expect: [3000, 1, 3000, 200],
  },
  {
    name: "a sidecar counts beside what starts after it",
    spec: {
      initContainers: [container("s", { cpu: "1" }, { restartPolicy: "Always" }), container("i", { cpu: "3" })],
      containers: [container("a", { cpu: "1", memory: "1Mi" })],
    },
    expect: [4000, 1, 4000, 400],
  },
  {
    name: "overhead comes on top",
    spec: { containers: [container("a", { cpu: "1", memory: "1Mi" })], overhead: { cpu: "250m", memory: "10Mi" } },
    expect: [1250, 11, 1250, 11],
  },
  {
    name: "what is asked for the Pod stands in for its containers",
    spec: { containers: [container("a", { cpu: "1", memory: "1Mi" }), container("b")], resources: { requests: { cpu: "2" } } },
    expect: [2000, 1, 2000, 1],
  },
  {
    name: "a resize counts from its request until it is done",
    spec: { containers: [container("a", { cpu: "1", memory: "2Mi" })] },
    status: {
      containerStatuses: [
        {
          name: "a",
          image: "",
          imageID: "",
          ready: true,
          restartCount: 0,
          resources: { requests: { cpu: "2", memory: "1Mi" } },
          allocatedResources: { cpu: "1" },
        },
      ],
    },
    expect: [2000, 2, 2000, 2],
  },
  {
    name: "a resize that cannot be counts for nothing",
    spec: { containers: [container("a", { cpu: "8", memory: "1Mi" })] },
    status: {
      conditions: [{ type: "PodResizePending", status: "True", reason: "Infeasible" }],
      containerStatuses: [
        {
          name: "a",
          image: "",
          imageID: "",
          ready: true,
          restartCount: 0,
          resources: { requests: { cpu: "1", memory: "1Mi" } },
          allocatedResources: { cpu: "1" },
        },
      ],
    },
    expect: [1000, 1, 1000, 1],
  },
];
for (const { name, spec, status, expect } of cases)
  test(name, () => {
    const { requests, nonZeroRequests } = newPodInfo({
      metadata: { name: "p", uid: "u" },
      spec,
      ...(status === undefined ? {} : { status }),
    });
    assert.deepEqual([requests.milliCpu, requests.memory / mebi, nonZeroRequests.milliCpu, nonZeroRequests.memory / mebi], expect);
  });

test("ports of what runs, claims by their names, and terms with their namespaces are read once", () => {
  const term = { topologyKey: "zone", labelSelector: { matchLabels: { app: "web" } } };
  const info = newPodInfo({
    metadata: { name: "p", namespace: "ns", uid: "u" },
    spec: {
      initContainers: [container("i", {}, { ports: [{ containerPort: 1, hostPort: 1 }] })],
      containers: [container("a", {}, { ports: [{ containerPort: 80, hostPort: 80, protocol: "UDP" }, { containerPort: 81 }] })],
      volumes: [
        { name: "v", ephemeral: {} },
        { name: "w", persistentVolumeClaim: { claimName: "c" } },
      ],
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term, { ...term, namespaces: ["other"] }] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: { ...term, namespaceSelector: {} } }],
        },
      },
    },
  });
  assert.deepEqual(info.hostPorts, [{ ip: "0.0.0.0", protocol: "UDP", port: 80 }]);
  assert.deepEqual(info.claims, ["p-v", "c"]);
  assert.deepEqual(
    info.requiredAffinity.map(({ namespaces }) => [...namespaces]),
    [["ns"], ["other"]],
  );
  const [preferred] = info.preferredAntiAffinity;
  assert.deepEqual([preferred?.weight, [...(preferred?.namespaces ?? [])], preferred?.namespaceSelector?.empty], [5, [], true]);
  assert.equal(info.requiredAffinity[0]?.selector.matches({ app: "web" }), true);
});

const ofTwo = (one: Record<string, string>, other: Record<string, string>, metadata: Pod["metadata"] = { labels: { app: "a" } }): Pod => ({
  metadata: { name: "p", uid: "u", ...metadata },
  spec: { containers: [container("one", one), container("other", other)] },
});
const before = ofTwo({ cpu: "200m", memory: "1Gi" }, {});

const changes: readonly [what: string, after: Pod, isRefreshed: boolean][] = [
  ["its status", { ...before, status: { phase: "Running" } }, true],
  ["its annotations", ofTwo({ cpu: "200m", memory: "1Gi" }, {}, { labels: { app: "a" }, annotations: { a: "b" } }), true],
  ["its labels", ofTwo({ cpu: "200m", memory: "1Gi" }, {}, { labels: { app: "b" } }), false],
  ["its end", ofTwo({ cpu: "200m", memory: "1Gi" }, {}, { labels: { app: "a" }, deletionTimestamp: "2026-01-01T00:00:00Z" }), false],
  ["what it asks for", ofTwo({ cpu: "300m", memory: "1Gi" }, {}), false],
  ["which container asks", ofTwo({ cpu: "100m", memory: "1Gi" }, { cpu: "100m" }), false],
];
for (const [what, after, isRefreshed] of changes)
  test(`a Pod of which ${what} has changed is ${isRefreshed ? "the same" : "another"} to the scheduler`, () => {
    const info = newPodInfo(before);
    assert.equal(refreshPodInfo(info, after), isRefreshed);
    assert.equal(info.pod, isRefreshed ? after : before);
    if (isRefreshed) assert.deepEqual(info, newPodInfo(after));
  });
