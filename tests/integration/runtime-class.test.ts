/** What the RuntimeClass of a Pod makes of it when it is created. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, isForbidden, pods, runtimeClasses } from "@coxswain/client";
import { startCluster } from "coxswain/testing";

type Spec = Partial<api.coreV1.PodSpec>;

const classes: readonly api.nodeV1.RuntimeClass[] = [
  { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "plain" }, handler: "runc" },
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "heavy" },
    handler: "kata",
    overhead: { podFixed: { memory: "64Mi", cpu: "250m" } },
    scheduling: { nodeSelector: { vm: "yes" }, tolerations: [{ key: "vm", operator: "Exists" }] },
  },
];

const created: readonly { name: string; spec: Spec; expect: Spec }[] = [
  { name: "a class that says nothing", spec: { runtimeClassName: "plain" }, expect: {} },
  {
    name: "overhead and where to go",
    spec: { runtimeClassName: "heavy", nodeSelector: { disk: "ssd" } },
    expect: {
      overhead: { memory: "64Mi", cpu: "250m" },
      nodeSelector: { disk: "ssd", vm: "yes" },
      tolerations: [{ key: "vm", operator: "Exists" }],
    },
  },
  {
    name: "the same overhead in other words, and tolerations that the class's include",
    spec: {
      runtimeClassName: "heavy",
      overhead: { memory: "65536Ki", cpu: "0.25" },
      tolerations: [
        { key: "vm", operator: "Equal", value: "small", effect: "NoSchedule" },
        { key: "gpu", operator: "Exists" },
      ],
    },
    expect: {
      overhead: { memory: "64Mi", cpu: "250m" },
      nodeSelector: { vm: "yes" },
      tolerations: [
        { key: "gpu", operator: "Exists" },
        { key: "vm", operator: "Exists" },
      ],
    },
  },
];
const refused: readonly { name: string; spec: Spec; message: string }[] = [
  { name: "a class that is not there", spec: { runtimeClassName: "none" }, message: 'pod rejected: RuntimeClass "none" not found' },
  {
    name: "another overhead",
    spec: { runtimeClassName: "heavy", overhead: { memory: "1Mi" } },
    message: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  },
  {
    name: "an overhead of nothing",
    spec: { overhead: { memory: "1Mi" } },
    message: "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
  },
  {
    name: "other nodes",
    spec: { runtimeClassName: "heavy", nodeSelector: { vm: "no" } },
    message: "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no",
  },
];

async function create(spec: Spec): Promise<api.coreV1.Pod> {
  await using cluster = await startCluster({ admission: { disable: ["DefaultTolerationSeconds"] } });
  for (const one of classes) await cluster.client.resource(runtimeClasses).create(one);
  const containers = [{ name: "main", image: "app" }];
  return await cluster.client
    .resource(pods)
    .create({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers, ...spec } });
}

for (const { name, spec, expect } of created)
  test(`a Pod gets of its RuntimeClass: ${name}`, async () => {
    const { overhead, nodeSelector, tolerations } = (await create(spec)).spec ?? {};
    assert.deepEqual(JSON.parse(JSON.stringify({ overhead, nodeSelector, tolerations })), expect);
  });

for (const { name, spec, message } of refused)
  test(`a Pod is refused for its RuntimeClass: ${name}`, () =>
    assert.rejects(create(spec), (error: unknown) => {
      assert.ok(isForbidden(error));
      assert.equal(error.message, `pods "web" is forbidden: ${message}`);
      return true;
    }));
