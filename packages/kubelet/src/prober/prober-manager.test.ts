import assert from "node:assert/strict";
import test from "node:test";
import type { coreV1 } from "@coxswain/api";
import { MetricsRegistry, type RecordedEvent } from "@coxswain/client";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Pod } from "../pod/pod.ts";
import type { Dial, HttpAnswer } from "../probe/dial.ts";
import type { ExecResult } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { createProbeManager } from "./prober-manager.ts";

type Probe = coreV1.Probe;
const second = 1000;
const nothing = new Uint8Array();

/** A Pod of one container, whose answers are those of a list, the last of which holds. */
function watched(
  container: Partial<coreV1.Container>,
  answers: readonly (HttpAnswer | Error)[] = [{ status: 200, body: "" }],
  startedBeforeMs = 60 * second,
) {
  const clock = new ManualClock();
  const begun = clock.now();
  const asked: string[] = [];
  const recorded: RecordedEvent[] = [];
  const metrics = new MetricsRegistry();
  const exec: (() => Promise<ExecResult>)[] = [];
  const answer = async () => {
    const next = answers[Math.min(asked.length - 1, answers.length - 1)] ?? { status: 200, body: "" };
    if (next instanceof Error) throw next;
    return next;
  };
  const dial: Dial = {
    http: (call) => {
      asked.push(`${(clock.now() - begun) / second - startedBeforeMs / second}s ${call.path}`);
      return answer();
    },
    tcp: () => Promise.reject(new Error("dial tcp 10.0.0.7:80: connect: connection refused")),
    grpc: async () => ({ kind: "answered", status: "NOT_SERVING" }),
  };
  const probes = createProbeManager({
    clock,
    dial,
    metrics,
    random: { next: () => 0.5, uuid: () => "" },
    events: { record: (_about, event) => void recorded.push(event) },
    runtime: { execSync: () => exec[0]?.() ?? Promise.resolve({ exitCode: 0, stdout: nothing, stderr: nothing }) },
  });
  clock.advance(startedBeforeMs);
  const pod: Pod = { metadata: { name: "web", namespace: "default", uid: "u1" }, spec: { containers: [{ name: "main", ...container }] } };
  let changes = 0;
  let seen = { pod, containers: [] as ContainerStatus[] };
  const follow = (next: Partial<typeof seen> = {}) => {
    seen = { ...seen, ...next };
    probes.syncPod(seen.pod, seen.containers, "10.0.0.7", () => {
      changes++;
      probes.syncPod(seen.pod, seen.containers, "10.0.0.7", () => undefined);
    });
  };
  /** In steps, so that what is asked can be answered. */
  const pass = async (seconds: number) => {
    const end = clock.now() + seconds * second;
    do await quiescence({ observe: () => [asked.length, recorded.length, changes, clock.waiting] });
    while (clock.step(end));
    clock.advance(end - clock.now());
  };
  return { clock, probes, pod, asked, recorded, exec, metrics, follow, pass, changes: () => changes };
}

const running = (id = "c0", fields: Partial<ContainerStatus> = {}, clock?: ManualClock): ContainerStatus => ({
  id,
  sandboxId: "s0",
  pod: { uid: "u1", namespace: "default", name: "web" },
  name: "main",
  attempt: 0,
  state: "running",
  createdAt: clock?.now() ?? 0,
  startedAt: clock?.now() ?? 0,
  finishedAt: 0,
  exitCode: 0,
  reason: "",
  message: "",
  image: "web:1",
  imageRef: "",
  logPath: "",
  labels: {},
  annotations: {},
  mounts: [],
  resources: undefined,
  ...fields,
});

const httpProbe = (fields: Probe = {}): Probe => ({ httpGet: { path: "/healthz", port: 80 }, periodSeconds: 10, ...fields });
const failing: HttpAnswer = { status: 500, body: "secret" };
const fine: HttpAnswer = { status: 200, body: "" };

test("Readiness is asked for at once when a container runs, then at intervals, and is false until it has succeeded", async () => {
  const at = watched({ readinessProbe: httpProbe() }, [failing, fine, fine, failing]);
  at.follow({ containers: [running("c0", {}, at.clock)] });
  assert.deepEqual(at.probes.results("u1", "c0"), { startup: undefined, readiness: false, liveness: undefined });
  await at.pass(0);
  assert.deepEqual(at.asked, ["0s /healthz"]);
  await at.pass(25);
  assert.deepEqual(at.asked, ["0s /healthz", "10s /healthz", "20s /healthz"]);
  assert.equal(at.probes.results("u1", "c0").readiness, true);
  assert.equal(at.changes(), 1);
  await at.pass(30);
  assert.equal(at.probes.results("u1", "c0").readiness, false, "after three failures");
  assert.equal(at.recorded.length, 4);
  assert.deepEqual(at.recorded[0], {
    type: "Warning",
    reason: "Unhealthy",
    message: "Readiness probe failed: HTTP probe failed with statuscode: 500",
    fieldPath: "spec.containers{main}",
  });
});

test("Who sees that it is not ready asks again at once", async () => {
  const at = watched({ readinessProbe: httpProbe() }, [failing, fine]);
  at.follow({ containers: [running("c0", {}, at.clock)] });
  await at.pass(3);
  at.follow();
  await at.pass(0);
  assert.deepEqual(at.asked, ["0s /healthz", "3s /healthz"]);
  assert.equal(at.probes.results("u1", "c0").readiness, true);
});

test("Liveness is true until it fails often enough, and then nothing is asked until there is a new container", async () => {
  const at = watched({ livenessProbe: httpProbe({ failureThreshold: 2, initialDelaySeconds: 15 }) }, [fine, failing]);
  at.follow({ containers: [running("c0", {}, at.clock)] });
  await at.pass(60);
  assert.deepEqual(at.asked, ["20s /healthz", "30s /healthz", "40s /healthz"]);
  assert.equal(at.probes.results("u1", "c0").liveness, false);
  at.follow({ containers: [running("c1", { attempt: 1 }, at.clock)] });
  assert.deepEqual(at.probes.results("u1", "c1"), { startup: undefined, readiness: undefined, liveness: true });
  assert.deepEqual(at.probes.results("u1", "c0"), { startup: undefined, readiness: undefined, liveness: undefined });
  await at.pass(20);
  assert.equal(at.asked.length, 4);
});

test("Until the startup probe has succeeded the others wait, and then it does no more", async () => {
  const probes = { startupProbe: httpProbe({ httpGet: { path: "/startup", port: 80 }, periodSeconds: 1 }), readinessProbe: httpProbe() };
  const at = watched(probes, [failing, failing, fine]);
  at.follow({ containers: [running("c0", {}, at.clock)] });
  await at.pass(5);
  assert.deepEqual(at.asked, ["1s /startup", "2s /startup", "3s /startup", "3s /healthz"]);
  assert.deepEqual(at.probes.results("u1", "c0"), { startup: true, readiness: true, liveness: undefined });
});

test("A startup probe that fails too often says so, once", async () => {
  const at = watched({ startupProbe: httpProbe({ periodSeconds: 1, failureThreshold: 3 }) }, [failing]);
  at.follow({ containers: [running("c0", {}, at.clock)] });
  await at.pass(20);
  assert.equal(at.asked.length, 3);
  assert.equal(at.probes.results("u1", "c0").startup, false);
  assert.equal(at.changes(), 1);
});

test("A new kubelet leaves alone what its predecessor found, and spreads its first questions", async () => {
  const at = watched({ readinessProbe: httpProbe() }, [fine], 0);
  at.follow({ containers: [running("c0", { startedAt: at.clock.now() - 11 * second })] });
  assert.equal(at.probes.results("u1", "c0").readiness, undefined);
  await at.pass(10);
  assert.deepEqual(at.asked, ["5s /healthz"]);
  assert.equal(at.probes.results("u1", "c0").readiness, true);
});

test("A container that its predecessor saw start need not start again", async () => {
  const at = watched({ startupProbe: httpProbe(), livenessProbe: httpProbe() }, [fine], 0);
  const recorded = {
    containerStatuses: [{ name: "main", containerID: "x://c0", started: true, image: "", imageID: "", ready: true, restartCount: 0 }],
  };
  at.follow({ pod: { ...at.pod, status: recorded }, containers: [running("c0", { startedAt: at.clock.now() - 60 * second })] });
  assert.equal(at.probes.results("u1", "c0").startup, true);
});

test("Whoever is to be deleted is asked for readiness alone", async () => {
  const at = watched({ readinessProbe: httpProbe(), livenessProbe: httpProbe() }, [failing]);
  at.follow({ containers: [running("c0", {}, at.clock)] });
  at.follow({ pod: { ...at.pod, metadata: { ...at.pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } } });
  await at.pass(60);
  assert.deepEqual(at.probes.results("u1", "c0"), { startup: undefined, readiness: false, liveness: true });
});

test("What has ended, what is forgotten and what is disposed of leaves no timer and no series", async () => {
  const at = watched({ readinessProbe: httpProbe(), livenessProbe: httpProbe() });
  at.follow({ containers: [running("c0", {}, at.clock)] });
  await at.pass(15);
  assert.match(
    at.metrics.text(),
    /prober_probe_total\{probe_type="Readiness",container="main",pod="web",namespace="default",pod_uid="u1",result="successful"\} 2/,
  );
  at.follow({ containers: [running("c0", { state: "exited", exitCode: 1 }, at.clock)] });
  assert.equal(at.clock.waiting, 0);
  at.follow({ containers: [running("c1", { attempt: 1 }, at.clock)] });
  assert.equal(at.clock.waiting, 1);
  at.probes.removePod("u1");
  assert.equal(at.clock.waiting, 0);
  assert.equal(at.metrics.text(), "");
});

const outcomes: readonly {
  name: string;
  probe: Probe;
  exec?: () => Promise<ExecResult>;
  answers?: readonly (HttpAnswer | Error)[];
  message: string;
}[] = [
  {
    name: "a command that fails",
    probe: { exec: { command: ["cat", "/x"] } },
    exec: async () => ({ exitCode: 1, stdout: new TextEncoder().encode("out "), stderr: new TextEncoder().encode("err") }),
    message: "Readiness probe failed: out err",
  },
  {
    name: "a command that takes too long",
    probe: { exec: { command: ["sleep", "$(LONG)"] }, timeoutSeconds: 90 },
    exec: () => Promise.reject(new RuntimeError("timeout", "whatever")),
    message: 'Readiness probe failed: command timed out: "sleep 1h" timed out after 1m30s',
  },
  {
    name: "a runtime that does not answer",
    probe: { exec: { command: ["true"] } },
    exec: () => Promise.reject(new RuntimeError("unavailable", "connection lost")),
    message: "Readiness probe errored and resulted in unknown state: connection lost",
  },
  {
    name: "a connection that does not come about",
    probe: { httpGet: { path: "/a?b=c", port: "http" } },
    answers: [new Error("dial tcp 10.0.0.7:8080: connect: connection refused")],
    message: 'Readiness probe failed: Get "http://10.0.0.7:8080/a?b=c": dial tcp 10.0.0.7:8080: connect: connection refused',
  },
  {
    name: "a redirect to another host",
    probe: { httpGet: { path: "/", port: 80 } },
    answers: [{ status: 302, location: "http://example.com/", body: "moved" }],
    message: "Readiness probe warning: Probe terminated redirects, Response body: moved",
  },
  {
    name: "redirects without end",
    probe: { httpGet: { path: "/", port: 80, scheme: "HTTPS" } },
    answers: [{ status: 307, location: "/next", body: "" }],
    message: 'Readiness probe failed: Get "/next": stopped after 10 redirects',
  },
  {
    name: "a port of no name",
    probe: { httpGet: { path: "/", port: "admin" } },
    message: 'Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "admin": invalid syntax',
  },
  {
    name: "a closed port",
    probe: { tcpSocket: { port: 80 } },
    message: "Readiness probe failed: dial tcp 10.0.0.7:80: connect: connection refused",
  },
  {
    name: "a service that is not well",
    probe: { grpc: { port: 90 } },
    message: 'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
  },
  {
    name: "no question at all",
    probe: {},
    message: "Readiness probe errored and resulted in unknown state: missing probe handler for web_default(u1):main",
  },
];
for (const { name, probe, exec, answers, message } of outcomes) {
  test(`The Event of ${name}`, async () => {
    const ports = [{ name: "http", containerPort: 8080 }];
    const at = watched({ readinessProbe: probe, ports, env: [{ name: "LONG", value: "1h" }] }, answers);
    if (exec !== undefined) at.exec.push(exec);
    at.follow({ containers: [running("c0", {}, at.clock)] });
    await at.pass(0);
    assert.deepEqual(
      at.recorded.map((event) => event.message),
      [message],
    );
  });
}
