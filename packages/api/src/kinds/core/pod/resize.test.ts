import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import type { Container, Pod, PodSpec } from "@coxswain/types/core-v1";
import { createdAs } from "../../kind-under-test.ts";
import { validatePodResize } from "./resize.ts";
import { pod } from "./strategy.ts";

const container = (name: string, cpu: string, more: object = {}): Container => ({
  name,
  image: "i",
  resources: { requests: { cpu } },
  ...more,
});
const podOf = (spec: Partial<PodSpec>): Pod =>
  createdAs(pod, { metadata: { name: "p" }, spec: { containers: [container("c", "1")], ...spec } }).object;
const restarting = { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] };

const cases: readonly {
  readonly name: string;
  readonly from?: Partial<PodSpec>;
  readonly to: Partial<PodSpec>;
  readonly problems: readonly string[];
}[] = [
  { name: "more processors", to: { containers: [container("c", "2")] }, problems: [] },
  {
    name: "no request any more",
    to: { containers: [{ name: "c", image: "i", resources: { requests: { memory: "1Gi" } } }] },
    problems: ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"],
  },
  {
    name: "another policy",
    to: { containers: [container("c", "1", restarting)] },
    problems: ["spec: Forbidden: only cpu and memory resources are mutable"],
  },
  {
    name: "another disk",
    to: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1", "ephemeral-storage": "1Gi" } } }] },
    problems: ["spec: Forbidden: only cpu and memory resources are mutable"],
  },
  {
    name: "one container more",
    to: { containers: [container("c", "1"), container("d", "1")] },
    problems: ["spec.containers: Forbidden: containers may not be added or removed on resize"],
  },
  {
    name: "an init container",
    from: { initContainers: [container("i", "1")] },
    to: { initContainers: [container("i", "2")] },
    problems: [],
  },
  {
    name: "an init container's image",
    from: { initContainers: [container("i", "1")] },
    to: { initContainers: [container("i", "1", { image: "j" })] },
    problems: ["spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable"],
  },
  {
    name: "the pod as a whole",
    from: { resources: { requests: { cpu: "2" } } },
    to: { resources: { requests: { cpu: "3" } } },
    problems: [],
  },
  {
    name: "the pod as a whole, no more",
    from: { resources: { requests: { cpu: "2" } } },
    to: {},
    problems: ["spec.resources: Forbidden: pod-level resources cannot be removed"],
  },
];

for (const { name, from = {}, to, problems } of cases) {
  test(`resizes: ${name}`, () => {
    const [prev, next] = [podOf(from), podOf(to)];
    assert.deepEqual(validatePodResize({ ...next, status: prev.status ?? {} }, prev).map(field.formatFieldError), problems);
  });
}
