import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { nothingThere } from "../pod/pod-state.ts";
import { isWholeRestarting } from "../pod/restart-policy.ts";
import { containerUnderTest, initsUnderTest, noResults, podUnderTest, stateUnderTest } from "../pod-workers/pod-under-test.ts";
import type { ProbeResults } from "../prober/results.ts";
import { computePodActions } from "./compute-pod-actions.ts";
import type { PodActions } from "./pod-actions.ts";

interface Case {
  readonly name: string;
  readonly spec?: Partial<coreV1.PodSpec>;
  /** Undefined: nothing is there. */
  readonly containers?: readonly string[];
  readonly sandbox?: { readonly ready?: boolean; readonly attempt?: number };
  readonly probes?: Readonly<Record<string, Partial<ProbeResults>>>;
  readonly isDeleted?: boolean;
  /** In words: `sandbox#1`, `kill pod`, `start main`, `kill main-0 (why)`, `reset main-0`. */
  readonly expect: readonly string[];
}

const two = { containers: [containerUnderTest("main"), containerUnderTest("other")] };
const probe = { exec: { command: ["true"] } };
const rule = (action: string, ...values: number[]) => ({ action, exitCodes: { operator: "In", values } });
const ruled = (policy: string, ...rules: coreV1.ContainerRestartRule[]) => ({
  containers: [containerUnderTest("main", { restartPolicy: policy, restartPolicyRules: rules }), containerUnderTest("other")],
});

const cases: readonly Case[] = [
  { name: "a new Pod gets a sandbox and its containers", spec: two, expect: ["sandbox#0", "start main", "start other"] },
  {
    name: "a new Pod begins with its first init container",
    spec: { initContainers: initsUnderTest("a", "b") },
    expect: ["sandbox#0", "start a"],
  },
  { name: "what runs is left alone", containers: ["main:running"], expect: [] },
  { name: "what was made and not started is started", containers: ["main:created"], expect: ["start main"] },
  {
    name: "a container in an unknown state is killed before it is started",
    containers: ["main:unknown"],
    expect: ['kill main-0 (Container is in "unknown" state, try killing it before restart)', "start main"],
  },

  { name: "Always: what ended well starts again", containers: ["main:exited"], expect: ["start main"] },
  {
    name: "OnFailure: what failed starts again",
    spec: { restartPolicy: "OnFailure" },
    containers: ["main:exited=1"],
    expect: ["start main"],
  },
  {
    name: "OnFailure: what ended well ends the Pod",
    spec: { restartPolicy: "OnFailure" },
    containers: ["main:exited"],
    expect: ["kill pod"],
  },
  { name: "Never: what failed ends the Pod", spec: { restartPolicy: "Never" }, containers: ["main:exited=1"], expect: ["kill pod"] },
  {
    name: "Never: what runs keeps the Pod",
    spec: { ...two, restartPolicy: "Never" },
    containers: ["main:exited=1", "other:running"],
    expect: [],
  },
  { name: "nothing starts in a Pod that is deleted", containers: ["main:exited=1"], isDeleted: true, expect: ["kill pod"] },
  {
    name: "a container's own policy goes before the Pod's",
    spec: { ...ruled("Never"), restartPolicy: "Always" },
    containers: ["main:exited=1", "other:running"],
    expect: [],
  },
  {
    name: "a rule restarts what the policy would not",
    spec: ruled("Never", rule("Restart", 42)),
    containers: ["main:exited=42", "other:running"],
    expect: ["start main"],
  },
  {
    name: "a rule for other codes says nothing",
    spec: ruled("Never", rule("Restart", 42)),
    containers: ["main:exited=1", "other:running"],
    expect: [],
  },
  {
    name: "a rule restarts all",
    spec: ruled("Never", rule("RestartAllContainers", 42)),
    containers: ["main:exited=42", "other:running"],
    expect: ["reset other-0", "reset main-0"],
  },

  {
    name: "a sandbox that has ended is created again",
    containers: ["main:exited=137"],
    sandbox: { ready: false },
    expect: ["kill pod", "sandbox#1", "start main"],
  },
  {
    name: "with init containers first",
    spec: { initContainers: initsUnderTest("a") },
    containers: ["main:exited=137", "a:exited"],
    sandbox: { ready: false },
    expect: ["kill pod", "sandbox#1", "start a"],
  },
  {
    name: "Never: but not for what has run",
    spec: { restartPolicy: "Never" },
    containers: ["main:exited=137"],
    sandbox: { ready: false },
    expect: ["kill pod"],
  },
  {
    name: "Never: but for what never ran",
    spec: { restartPolicy: "Never" },
    containers: [],
    sandbox: { ready: false },
    expect: ["kill pod", "sandbox#1", "start main"],
  },
  {
    name: "OnFailure: not for what has done its work",
    spec: { restartPolicy: "OnFailure" },
    containers: ["main:exited"],
    sandbox: { ready: false },
    expect: ["kill pod"],
  },
  {
    name: "OnFailure: only for what has not",
    spec: { ...two, restartPolicy: "OnFailure" },
    containers: ["main:exited", "other:exited=1"],
    sandbox: { ready: false },
    expect: ["kill pod", "sandbox#1", "start other"],
  },

  { name: "an init container is waited for", spec: { initContainers: initsUnderTest("a", "b") }, containers: ["a:running"], expect: [] },
  {
    name: "the next follows when it has ended",
    spec: { initContainers: initsUnderTest("a", "b") },
    containers: ["a:exited"],
    expect: ["start b"],
  },
  {
    name: "ordinary ones follow the last",
    spec: { initContainers: initsUnderTest("a", "b") },
    containers: ["b:exited", "a:exited"],
    expect: ["start main"],
  },
  {
    name: "one that fails is tried again",
    spec: { initContainers: initsUnderTest("a", "b") },
    containers: ["a:exited=1"],
    expect: ["start a"],
  },
  {
    name: "Never: one that fails ends the Pod",
    spec: { restartPolicy: "Never", initContainers: initsUnderTest("a", "b") },
    containers: ["a:exited=1"],
    expect: ["kill pod"],
  },
  {
    name: "it does not run again once others do",
    spec: { initContainers: initsUnderTest("a") },
    containers: ["main:running", "a:exited=1"],
    expect: [],
  },
  { name: "nor when it was removed", spec: { initContainers: initsUnderTest("a", "b") }, containers: ["main:running"], expect: [] },

  {
    name: "a sidecar that runs lets the next begin",
    spec: { initContainers: initsUnderTest("s*", "b") },
    containers: ["s:running"],
    expect: ["start b"],
  },
  {
    name: "a sidecar that has not started does not",
    spec: { initContainers: [{ ...initsUnderTest("s*")[0]!, startupProbe: probe }, ...initsUnderTest("b")] },
    containers: ["s:running"],
    expect: [],
  },
  {
    name: "until its probe says so",
    spec: { initContainers: [{ ...initsUnderTest("s*")[0]!, startupProbe: probe }, ...initsUnderTest("b")] },
    containers: ["s:running"],
    probes: { "s-0": { startup: true } },
    expect: ["start b"],
  },
  {
    name: "a sidecar whose probe fails starts again",
    spec: { initContainers: [{ ...initsUnderTest("s*")[0]!, startupProbe: probe }] },
    containers: ["s:running"],
    probes: { "s-0": { startup: false } },
    expect: ["kill s-0 (Init container s failed startup probe)", "start s"],
  },
  {
    name: "a sidecar that ends starts again beside the others",
    spec: { initContainers: initsUnderTest("s*") },
    containers: ["main:running", "s:exited"],
    expect: ["start s"],
  },
  {
    name: "a sidecar starts again whatever the Pod's policy",
    spec: { restartPolicy: "Never", initContainers: initsUnderTest("s*") },
    containers: ["main:running", "s:exited=1"],
    expect: ["start s"],
  },
  {
    name: "a sidecar alone keeps no Pod",
    spec: { restartPolicy: "Never", initContainers: initsUnderTest("s*") },
    containers: ["main:exited", "s:running"],
    expect: ["kill pod"],
  },

  {
    name: "what fails its liveness probe starts again",
    containers: ["main:running"],
    probes: { "main-0": { liveness: false } },
    expect: ["kill main-0 (Container main failed liveness probe, will be restarted)", "start main"],
  },
  {
    name: "Never: what fails its liveness probe ends",
    spec: { ...two, restartPolicy: "Never" },
    containers: ["main:running", "other:running"],
    probes: { "main-0": { liveness: false } },
    expect: ["kill main-0 (Container main failed liveness probe)"],
  },
  {
    name: "what fails its startup probe starts again",
    containers: ["main:running"],
    probes: { "main-0": { startup: false } },
    expect: ["kill main-0 (Container main failed startup probe, will be restarted)", "start main"],
  },
  { name: "what is not ready is left alone", containers: ["main:running"], probes: { "main-0": { readiness: false } }, expect: [] },

  {
    name: "ephemeral containers start beside the others",
    spec: { ephemeralContainers: [{ name: "debug", image: "sh" }] },
    containers: ["main:running"],
    expect: ["start debug"],
  },
  {
    name: "and never again",
    spec: { ephemeralContainers: [{ name: "debug", image: "sh" }] },
    containers: ["main:running", "debug:exited"],
    expect: [],
  },
  {
    name: "also while init containers run",
    spec: { initContainers: initsUnderTest("a"), ephemeralContainers: [{ name: "debug", image: "sh" }] },
    containers: ["a:running"],
    expect: ["start debug"],
  },
];

for (const { name, spec, containers, sandbox, probes = {}, isDeleted = false, expect } of cases)
  test(name, () => {
    const pod = podUnderTest(spec, isDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {});
    const state = containers === undefined ? nothingThere : stateUnderTest(pod, containers, sandbox);
    const results = (id: string) => ({ ...noResults, ...probes[id] });
    const whole = isWholeRestarting(pod, state, undefined);
    const actions = computePodActions({ pod, state, probes: results, resizing: () => "none", isWholeRestarting: whole });
    assert.deepEqual(inWords(actions), expect);
  });

test("a container of another image is killed and started again, whatever the policy", () => {
  const before = podUnderTest({ restartPolicy: "Never" });
  const pod = podUnderTest({ restartPolicy: "Never", containers: [containerUnderTest("main", { image: "app:2" })] });
  const state = stateUnderTest(before, ["main:running"]);
  const actions = computePodActions({ pod, state, probes: () => noResults, resizing: () => "none", isWholeRestarting: false });
  assert.deepEqual(inWords(actions), ["kill main-0 (Container main definition changed, will be restarted)", "start main"]);
});

function inWords(actions: PodActions): string[] {
  const { killPod, createSandbox, attempt, sandboxId, toKill, toReset, initToStart, toStart, ephemeralToStart } = actions;
  return [
    ...(killPod && sandboxId !== undefined ? ["kill pod"] : []),
    ...(createSandbox ? [`sandbox#${attempt}`] : []),
    ...toKill.map(({ id, message }) => `kill ${id} (${message})`),
    ...toReset.map(({ id }) => `reset ${id}`),
    ...[...ephemeralToStart, ...initToStart, ...toStart].map(({ name }) => `start ${name}`),
  ];
}
