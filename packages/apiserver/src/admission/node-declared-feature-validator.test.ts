import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import { admitted } from "./plugin-under-test.ts";

const ofPod = "InPlacePodLevelResourcesVerticalScaling";
const ofInits = "InPlacePodVerticalScalingInitContainers";

const cpu = (amount: string) => ({ requests: { cpu: amount } });
const init = (amount: string, more: object = {}) => ({ name: "i", image: "i", resources: cpu(amount), ...more });

const pod = (spec: object): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "n" },
    spec: { nodeName: "there", containers: [{ name: "c", image: "i" }], ...spec },
  }) as KubeObject;
const node = (...declaredFeatures: readonly string[]): KubeObject =>
  ({ apiVersion: "v1", kind: "Node", metadata: { name: "there" }, status: { declaredFeatures } }) as KubeObject;

const lacking = (...names: readonly string[]): string =>
  `pod update requires features ${names.join(", ")} which are not available on node "there"`;
const before = { resources: cpu("1"), initContainers: [init("1")] };

const cases = [
  { name: "nothing of note", to: { ...before, activeDeadlineSeconds: 1 }, node: node(), expect: undefined },
  { name: "its own resources", to: { ...before, resources: cpu("2") }, node: node(), expect: lacking(ofPod) },
  { name: "its own resources", to: { ...before, resources: cpu("2") }, node: node(ofPod), expect: undefined },
  { name: "its own resources", to: { ...before, resources: cpu("2") }, node: undefined, expect: 'node "there" not found' },
  { name: "its own resources, without a node", to: { ...before, resources: cpu("2"), nodeName: "" }, node: undefined, expect: undefined },
  { name: "an init container", to: { ...before, initContainers: [init("2")] }, node: node(ofPod), expect: lacking(ofInits) },
  { name: "an init container", to: { ...before, initContainers: [init("2")] }, node: node(ofInits), expect: undefined },
  { name: "both", to: { resources: cpu("2"), initContainers: [init("2")] }, node: node(), expect: lacking(ofPod, ofInits) },
  { name: "both", to: { resources: cpu("2"), initContainers: [init("2")] }, node: node(ofInits), expect: lacking(ofPod) },
  {
    name: "a sidecar",
    from: { initContainers: [init("1", { restartPolicy: "Always" })] },
    to: { initContainers: [init("2", { restartPolicy: "Always" })] },
    node: node(),
    expect: undefined,
  },
];
for (const { name, from = before, to, node: on, expect } of cases)
  for (const subresource of ["", "resize"])
    test(`an update of pods/${subresource} changes ${name}: ${expect ?? "admitted"}`, async () => {
      const asked = { object: pod(to), previous: pod(from), subresource, stored: on === undefined ? [] : [on] };
      const why = `pods "p" is forbidden: ${expect}`;
      assert.deepEqual(await admitted(nodeDeclaredFeatureValidator, asked), expect === undefined ? asked.object : why);
    });

test("a status of a Pod needs no features of its node", async () => {
  const asked = { object: pod({ resources: cpu("2") }), previous: pod(before), subresource: "status" };
  assert.deepEqual(await admitted(nodeDeclaredFeatureValidator, asked), asked.object);
});
