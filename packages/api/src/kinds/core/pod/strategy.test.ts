import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@coxswain/types/core-v1";
import { createdAs, statusUpdatedAs } from "../../kind-under-test.ts";
import { pod } from "./strategy.ts";

const container = { name: "c", image: "busybox" };
const bodyOf = (spec: object, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [container], ...spec },
});
const stored = createdAs(pod, bodyOf({ activeDeadlineSeconds: 100, tolerations: [{ key: "k", operator: "Exists" }] })).object;

test("keys of labels become requirements when the pod is made", () => {
  const term = { topologyKey: "zone", labelSelector: { matchLabels: { app: "x" } }, matchLabelKeys: ["version"] };
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const { object, problems } = createdAs(pod, bodyOf({ affinity }, { labels: { version: "7" } }));
  assert.deepEqual(problems, []);
  const made = object.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0];
  assert.deepEqual(made?.labelSelector?.matchExpressions, [{ key: "version", operator: "In", values: ["7"] }]);
});

test("a status keeps its class, and containers that have ended for good stay ended", () => {
  const once = createdAs(pod, bodyOf({ restartPolicy: "Never" })).object;
  const status = (state: object) => ({ ...once.status, containerStatuses: [{ name: "c", image: "i", imageID: "", state }] });
  const ended = statusUpdatedAs(pod, once, status({ terminated: { exitCode: 0 } })).object;
  assert.equal(statusUpdatedAs(pod, once, { phase: "Running" }).object.status?.qosClass, "BestEffort");
  assert.deepEqual(statusUpdatedAs(pod, ended, status({ running: {} })).problems, [
    "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
  ]);
  assert.deepEqual(statusUpdatedAs(pod, once, { ...once.status, qosClass: "Guaranteed" }).problems, [
    'status.qosClass: Invalid value: "Guaranteed": field is immutable',
  ]);
});

test("one address is both spellings", () => {
  assert.deepEqual(statusUpdatedAs(pod, stored, { podIP: "10.0.0.1" }).object.status?.podIPs, [{ ip: "10.0.0.1" }]);
  assert.equal(statusUpdatedAs(pod, stored, { podIPs: [{ ip: "10.0.0.2" }] }).object.status?.podIP, "10.0.0.2");
});

test("a delete waits for whoever runs the pod", () => {
  const placed = (status: object): Pod => ({ spec: { ...stored.spec!, nodeName: "n" }, status });
  assert.equal(pod.checkGracefulDelete?.(stored, undefined), 0);
  assert.equal(pod.checkGracefulDelete?.(placed({ phase: "Running" }), undefined), 30);
  assert.equal(pod.checkGracefulDelete?.(placed({ phase: "Running" }), 5), 5);
  assert.equal(pod.checkGracefulDelete?.(placed({ phase: "Running" }), -5), 1);
  assert.equal(pod.checkGracefulDelete?.(placed({ phase: "Failed" }), 5), 0);
});

test("what is hardly meant is warned of", () => {
  const spec = {
    nodeSelector: { "beta.kubernetes.io/os": "linux" },
    terminationGracePeriodSeconds: -1,
    containers: [
      {
        ...container,
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "2" },
        ],
        ports: [{ containerPort: 80 }, { containerPort: 80, name: "web" }],
        resources: { limits: { memory: "100m" } },
      },
    ],
  };
  assert.deepEqual(createdAs(pod, bodyOf(spec, { name: "a.b" })).warnings, [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
    "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
  ]);
});
