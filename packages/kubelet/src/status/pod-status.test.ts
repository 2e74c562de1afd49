import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { containerUnderTest, initsUnderTest, noResults, podUnderTest, stateUnderTest } from "../pod-workers/pod-under-test.ts";
import { type PodStatusInput, podStatus } from "./pod-status.ts";
import type { WaitReason } from "./status-input.ts";

interface Case {
  readonly name: string;
  readonly spec?: Partial<coreV1.PodSpec>;
  readonly containers: readonly string[];
  readonly reported?: coreV1.PodStatus;
  readonly isOver?: boolean;
  readonly waits?: Readonly<Record<string, WaitReason>>;
  readonly expect: string;
  /** `main running`, `main waiting CrashLoopBackOff after 1`, `main ended 0`. */
  readonly statuses?: readonly string[];
}

const two = { containers: [containerUnderTest("main"), containerUnderTest("other")] };
const crash = { reason: "CrashLoopBackOff", message: "back-off" };
const ran = (name: string): coreV1.ContainerStatus => ({
  name,
  image: "app:1",
  imageID: "",
  ready: true,
  restartCount: 2,
  containerID: `containerd://${name}-2`,
  state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
  lastState: {},
});

const cases: readonly Case[] = [
  { name: "nothing has begun", containers: [], expect: "Pending", statuses: ["main waiting ContainerCreating"] },
  {
    name: "init containers come first",
    spec: { initContainers: initsUnderTest("a") },
    containers: [],
    expect: "Pending",
    statuses: ["a waiting PodInitializing", "main waiting PodInitializing"],
  },
  {
    name: "an init container runs",
    spec: { initContainers: initsUnderTest("a") },
    containers: ["a:running"],
    expect: "Pending",
    statuses: ["a running", "main waiting PodInitializing"],
  },
  { name: "it runs", containers: ["main:running"], expect: "Running", statuses: ["main running"] },
  {
    name: "one of two does not run yet",
    spec: two,
    containers: ["main:running"],
    expect: "Pending",
    statuses: ["main running", "other waiting ContainerCreating"],
  },
  {
    name: "it waits to be started again",
    containers: ["main:exited=1"],
    waits: { main: crash },
    expect: "Running",
    statuses: ["main waiting CrashLoopBackOff after 1"],
  },
  { name: "it has ended and is about to be started again", containers: ["main:exited=1"], expect: "Running", statuses: ["main ended 1"] },
  { name: "it runs again", containers: ["main:running@1", "main:exited=1"], expect: "Running", statuses: ["main running after 1"] },
  {
    name: "all have ended well",
    spec: { ...two, restartPolicy: "Never" },
    containers: ["main:exited", "other:exited"],
    expect: "Succeeded",
  },
  { name: "one has failed", spec: { ...two, restartPolicy: "Never" }, containers: ["main:exited=2", "other:exited"], expect: "Failed" },
  { name: "one still runs", spec: { ...two, restartPolicy: "Never" }, containers: ["main:exited=2", "other:running"], expect: "Running" },
  {
    name: "an image cannot be had",
    containers: [],
    waits: { main: { reason: "ErrImagePull", message: "no" } },
    expect: "Pending",
    statuses: ["main waiting ErrImagePull"],
  },
  {
    name: "an init container has failed for good",
    spec: { restartPolicy: "Never", initContainers: initsUnderTest("a") },
    containers: ["a:exited=1"],
    expect: "Failed",
  },
  {
    name: "an init container has failed and is tried again",
    spec: { initContainers: initsUnderTest("a") },
    containers: ["a:exited=1"],
    waits: { a: crash },
    expect: "Pending",
    statuses: ["a waiting CrashLoopBackOff after 1", "main waiting PodInitializing"],
  },
  { name: "it is over, though it could begin again", containers: ["main:exited"], isOver: true, expect: "Succeeded" },
  { name: "it is over, and has failed", containers: ["main:exited=1"], isOver: true, expect: "Failed" },
  {
    name: "a sidecar that failed does not count",
    spec: { restartPolicy: "Never", initContainers: initsUnderTest("s*") },
    containers: ["main:exited", "s:exited=1"],
    isOver: true,
    expect: "Succeeded",
  },
  {
    name: "a container that ran and is gone has ended with an unknown outcome",
    containers: [],
    reported: { phase: "Running", containerStatuses: [ran("main")] },
    expect: "Running",
    statuses: ["main waiting ContainerCreating after 137"],
  },
  {
    name: "an init container of which nothing is left has ended well",
    spec: { initContainers: initsUnderTest("a") },
    containers: ["main:running"],
    expect: "Running",
    statuses: ["a ended 0", "main running"],
  },
  { name: "what has failed stays so", containers: ["main:running"], reported: { phase: "Failed", reason: "Evicted" }, expect: "Failed" },
];

const input = (pod: PodStatusInput["pod"], more: Partial<PodStatusInput>): PodStatusInput => ({
  pod,
  state: stateUnderTest(pod, []),
  reported: {},
  runtimeName: "containerd",
  waits: () => undefined,
  probes: () => noResults,
  isOver: false,
  isStatic: false,
  hostIps: ["192.168.0.1"],
  resizeConditions: [],
  eviction: undefined,
  supportsRecursiveReadOnly: false,
  ...more,
});

for (const { name, spec, containers, reported = {}, isOver = false, waits = {}, expect, statuses } of cases)
  test(`${expect}: ${name}`, () => {
    const pod = podUnderTest(spec);
    const status = podStatus(
      input(pod, { state: stateUnderTest(pod, containers), reported, isOver, waits: (container) => waits[container] }),
    );
    assert.equal(status.phase, expect);
    if (statuses === undefined) return;
    assert.deepEqual([...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(inWords), statuses);
  });

function inWords({ name, state, lastState }: coreV1.ContainerStatus): string {
  const now = state?.running ? "running" : state?.waiting ? `waiting ${state.waiting.reason}` : `ended ${state?.terminated?.exitCode}`;
  return `${name} ${now}${lastState?.terminated === undefined ? "" : ` after ${lastState.terminated.exitCode}`}`;
}

test("readiness gates are others' to open", () => {
  const pod = { ...podUnderTest({ readinessGates: [{ conditionType: "example.com/lb" }] }), status: {} };
  const state = stateUnderTest(pod, ["main:running"]);
  const ready = (conditions: coreV1.PodCondition[]) => {
    const status = podStatus(input({ ...pod, status: { conditions } }, { state }));
    return status.conditions?.find(({ type }) => type === "Ready");
  };
  assert.deepEqual(ready([]), {
    type: "Ready",
    observedGeneration: 1,
    status: "False",
    reason: "ReadinessGatesNotReady",
    message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
  });
  assert.match(ready([{ type: "example.com/lb", status: "False" }])?.message ?? "", /is not "True", but False$/);
  assert.equal(ready([{ type: "example.com/lb", status: "True" }])?.status, "True");
});

test("a Pod in the host's network has the host's address, and keeps it", () => {
  const pod = podUnderTest({ hostNetwork: true });
  const state = stateUnderTest(pod, ["main:running"]);
  assert.equal(podStatus(input(pod, { state })).podIP, "192.168.0.1");
  const moved = podStatus(input(pod, { state, reported: { podIPs: [{ ip: "192.168.0.9" }] } }));
  assert.equal(moved.podIP, "192.168.0.9");
  assert.equal(moved.hostIP, "192.168.0.1");
});

test("probes say what has started and what is ready; without an answer what was said before holds for the same container", () => {
  const probe = { exec: { command: ["true"] } };
  const pod = podUnderTest({ containers: [containerUnderTest("main", { startupProbe: probe, readinessProbe: probe })] });
  const state = stateUnderTest(pod, ["main:running@2"]);
  const of = (more: Partial<PodStatusInput>) => {
    const [main] = podStatus(input(pod, { state, ...more })).containerStatuses ?? [];
    return [main?.started, main?.ready];
  };
  assert.deepEqual(of({}), [false, false]);
  assert.deepEqual(of({ probes: () => ({ ...noResults, startup: true }) }), [true, false]);
  assert.deepEqual(of({ probes: () => ({ ...noResults, startup: true, readiness: true }) }), [true, true]);
  assert.deepEqual(of({ reported: { containerStatuses: [{ ...ran("main"), started: true }] } }), [true, true]);
  assert.deepEqual(of({ reported: { containerStatuses: [{ ...ran("main"), started: true, containerID: "containerd://main-1" }] } }), [
    false,
    false,
  ]);
});
