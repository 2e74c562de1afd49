import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, PodStatus } from "@coxswain/types/core-v1";
import { podColumns } from "./columns.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const created = "2026-01-01T00:00:00Z";
const ended = (exitCode: number, rest: object = {}) => ({ terminated: { exitCode, ...rest } });
const status = (state: object, rest: object = {}) => ({ name: "c", image: "", imageID: "", ready: false, restartCount: 0, state, ...rest });
const running = status({ running: {} }, { ready: true });

interface Case {
  readonly name: string;
  readonly spec?: object;
  readonly status: object;
  readonly deleting?: boolean;
  /** READY, STATUS, RESTARTS. */
  readonly cells: readonly [string, string, string];
}

const cases: readonly Case[] = [
  { name: "nothing has happened yet", status: { phase: "Pending" }, cells: ["0/1", "Pending", "0"] },
  {
    name: "gates keep it back",
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    cells: ["0/1", "SchedulingGated", "0"],
  },
  { name: "the kubelet gave a reason", status: { phase: "Failed", reason: "Evicted" }, cells: ["0/1", "Evicted", "0"] },
  {
    name: "it waits",
    status: { phase: "Pending", containerStatuses: [status({ waiting: { reason: "ContainerCreating" } })] },
    cells: ["0/1", "ContainerCreating", "0"],
  },
  { name: "it runs", status: { phase: "Running", containerStatuses: [running] }, cells: ["1/1", "Running", "0"] },
  {
    name: "it crashes again and again",
    status: {
      phase: "Running",
      containerStatuses: [
        status(
          { waiting: { reason: "CrashLoopBackOff" } },
          { restartCount: 2, lastState: ended(1, { finishedAt: "2026-01-01T00:07:00Z" }) },
        ),
      ],
    },
    cells: ["0/1", "CrashLoopBackOff", "2 (3m ago)"],
  },
  {
    name: "restarts without a time are only counted",
    status: { phase: "Running", containerStatuses: [{ ...running, restartCount: 4 }] },
    cells: ["1/1", "Running", "4"],
  },
  {
    name: "a signal ended it",
    status: { phase: "Failed", containerStatuses: [status(ended(0, { signal: 9 }))] },
    cells: ["0/1", "Signal:9", "0"],
  },
  {
    name: "an exit code without a reason",
    status: { phase: "Failed", containerStatuses: [status(ended(3))] },
    cells: ["0/1", "ExitCode:3", "0"],
  },
  {
    name: "it is done",
    status: { phase: "Succeeded", containerStatuses: [status(ended(0, { reason: "Completed" }))] },
    cells: ["0/1", "Completed", "0"],
  },
  {
    name: "one is done, another runs, and the pod is ready",
    spec: { containers: [{ name: "c" }, { name: "d" }] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [status(ended(0, { reason: "Completed" })), { ...running, name: "d" }],
    },
    cells: ["1/2", "Running", "0"],
  },
  {
    name: "one is done, another runs, and the pod is not ready",
    spec: { containers: [{ name: "c" }, { name: "d" }] },
    status: { phase: "Running", containerStatuses: [status(ended(0, { reason: "Completed" })), { ...running, name: "d" }] },
    cells: ["1/2", "NotReady", "0"],
  },
  {
    name: "the second of two init containers is at work",
    spec: { initContainers: [{ name: "a" }, { name: "b" }] },
    status: {
      phase: "Pending",
      initContainerStatuses: [status(ended(0), { name: "a" }), status({ running: {} }, { name: "b" })],
      containerStatuses: [status({ waiting: { reason: "PodInitializing" } })],
    },
    cells: ["0/1", "Init:1/2", "0"],
  },
  {
    name: "an init container fails",
    spec: { initContainers: [{ name: "a" }] },
    status: { phase: "Pending", initContainerStatuses: [status(ended(1, { reason: "Error" }), { name: "a", restartCount: 1 })] },
    cells: ["0/1", "Init:Error", "1"],
  },
  {
    name: "an init container crashes again and again",
    spec: { initContainers: [{ name: "a" }] },
    status: { phase: "Pending", initContainerStatuses: [status({ waiting: { reason: "CrashLoopBackOff" } }, { name: "a" })] },
    cells: ["0/1", "Init:CrashLoopBackOff", "0"],
  },
  {
    name: "an init container ended without a word",
    spec: { initContainers: [{ name: "a" }] },
    status: { phase: "Pending", initContainerStatuses: [status(ended(2), { name: "a" })] },
    cells: ["0/1", "Init:ExitCode:2", "0"],
  },
  {
    name: "the containers wait for the first init container",
    spec: { initContainers: [{ name: "a" }] },
    status: {
      phase: "Pending",
      initContainerStatuses: [status({ waiting: { reason: "PodInitializing" } }, { name: "a" })],
      containerStatuses: [status({ waiting: { reason: "PodInitializing" } })],
    },
    cells: ["0/1", "Init:0/1", "0"],
  },
  {
    name: "a sidecar counts like any other container",
    spec: { initContainers: [{ name: "s", restartPolicy: "Always" }] },
    status: {
      phase: "Running",
      initContainerStatuses: [{ ...running, name: "s", started: true, restartCount: 1 }],
      containerStatuses: [{ ...running, restartCount: 1 }],
    },
    cells: ["2/2", "Running", "2"],
  },
  { name: "it is going", status: { phase: "Running", containerStatuses: [running] }, deleting: true, cells: ["1/1", "Terminating", "0"] },
  { name: "it has gone before", status: { phase: "Succeeded" }, deleting: true, cells: ["0/1", "Succeeded", "0"] },
  { name: "its node is lost", status: { phase: "Running", reason: "NodeLost" }, deleting: true, cells: ["0/1", "Unknown", "0"] },
];

const podOf = ({ spec, status: podStatus, deleting }: Pick<Case, "spec" | "status" | "deleting">): Pod => ({
  metadata: { name: "p", creationTimestamp: created, ...(deleting ? { deletionTimestamp: created } : {}) },
  spec: { containers: [{ name: "c" }], ...spec },
  status: podStatus as PodStatus,
});

for (const { name, cells, ...pod } of cases) {
  test(`STATUS when ${name}`, () => assert.deepEqual(podColumns.cells(podOf(pod), now).slice(1, 4), cells));
}

test("wide columns", () => {
  const spec = { nodeName: "n", readinessGates: [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }] };
  const conditions = [{ type: "example.com/a", status: "True" }];
  const pod = podOf({ spec, status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }], conditions } });
  assert.deepEqual(podColumns.cells(pod, now), ["p", "0/1", "Running", "0", "10m", "10.0.0.1", "n", "<none>", "1/2"]);
  assert.deepEqual(podColumns.cells(podOf({ status: {} }), now).slice(5), ["<none>", "<none>", "<none>", "<none>"]);
});
