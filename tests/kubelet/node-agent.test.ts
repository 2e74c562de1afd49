import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventRecorder, events, leases, nodes } from "@coxswain/client";
import { createNodeAgent, healthy, type Machine, type NodeAgentOptions, type NodeIdentity } from "@coxswain/kubelet";
import { AsyncDisposableStack, type Clock, internalError, unknownPath } from "@coxswain/machinery";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";

const machine: Machine = {
  hostname: "one",
  operatingSystem: "linux",
  architecture: "amd64",
  kernelVersion: "6.1.0",
  osImage: "Debian GNU/Linux 12 (bookworm)",
  machineId: "m",
  systemUuid: "s",
  bootId: "b",
  cpus: 4,
  memoryBytes: 8 * 1024 ** 3,
  storageBytes: 100 * 1024 ** 3,
  addresses: ["10.0.0.7"],
};

const identity: NodeIdentity = {
  name: "one",
  machine,
  runtimeVersion: "simulated://1",
  kubeletVersion: "v1.36.3",
  port: 10250,
  labels: { disk: "ssd" },
  taints: [],
  maxPods: 110,
  runtimeHandlers: [],
};

async function startAgent(changes: Partial<NodeAgentOptions> = {}, faults = new FaultScript([])) {
  await using stack = new AsyncDisposableStack();
  const clock = virtualClock({ now: Date.UTC(2026, 0, 1) });
  const cluster = stack.use(await startCluster({ clock }));
  const client = cluster.clientFor({ name: "system:node:one" }, { fieldManager: "kubelet", faults });
  const recorder = stack.use(createEventRecorder({ client, component: "kubelet", host: "one" }));
  const runtime = { ready: true, networkReady: true, message: "" };
  const warnings: unknown[] = [];
  const agent = createNodeAgent({
    client,
    identity,
    runtime: { status: async () => ({ ...runtime, handlers: [] }), listImages: async () => [] },
    events: recorder,
    random: cluster.random,
    log: { warn: (fields) => warnings.push(fields) },
    ...changes,
  });
  const stop = new AbortController();
  const running = agent.run(stop.signal);
  stack.defer(async () => {
    stop.abort();
    await running;
  });
  await agent.ready;
  const owned = stack.move();
  return {
    cluster,
    clock,
    agent,
    runtime,
    recorder,
    warnings,
    node: () => cluster.client.resource(nodes).get("one"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("registers a Node as a kubelet does", async () => {
  await using one = await startAgent();
  const { metadata, spec, status } = await one.node();
  assert.deepEqual(metadata?.labels, {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    disk: "ssd",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": "one",
    "kubernetes.io/os": "linux",
  });
  assert.deepEqual(spec?.taints, [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
  assert.deepEqual(status?.capacity, {
    cpu: "4",
    "ephemeral-storage": "100Gi",
    "hugepages-1Gi": "0",
    "hugepages-2Mi": "0",
    memory: "8Gi",
    pods: "110",
  });
  assert.equal(status?.allocatable?.memory, "8092Mi");
  assert.deepEqual(status?.addresses, [
    { type: "InternalIP", address: "10.0.0.7" },
    { type: "Hostname", address: "one" },
  ]);
  assert.deepEqual(
    status?.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`),
    [
      "MemoryPressure False KubeletHasSufficientMemory",
      "DiskPressure False KubeletHasNoDiskPressure",
      "PIDPressure False KubeletHasSufficientPID",
      "Ready True KubeletReady",
    ],
  );
  assert.deepEqual(status?.daemonEndpoints, { kubeletEndpoint: { Port: 10250 } });
  await one.recorder.flush();
  const recorded = (await one.cluster.client.resource(events).list()).items;
  assert.deepEqual(recorded.map(({ reason, message }) => `${reason}: ${message}`).sort(), [
    "NodeHasNoDiskPressure: Node one status is now: NodeHasNoDiskPressure",
    "NodeHasSufficientMemory: Node one status is now: NodeHasSufficientMemory",
    "NodeHasSufficientPID: Node one status is now: NodeHasSufficientPID",
    "NodeReady: Node one status is now: NodeReady",
    "Starting: Starting kubelet.",
  ]);
});

for (const port of [10250, undefined])
  test(`lives by its Lease, and writes its status only each five minutes while nothing changes, with the port ${port}`, async () => {
    await using one = await startAgent({ identity: { ...identity, port } });
    await one.clock.settle();
    const { resourceVersion } = (await one.node()).metadata ?? {};
    const before = await one.cluster.client.resource(leases, "kube-node-lease").get("one");
    assert.equal(before.spec?.leaseDurationSeconds, 40);
    assert.deepEqual(
      before.metadata?.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
      ["Node one"],
    );
    await one.clock.advance({ minutes: 4 });
    assert.equal((await one.node()).metadata?.resourceVersion, resourceVersion);
    const after = await one.cluster.client.resource(leases, "kube-node-lease").get("one");
    assert.ok(Date.parse(after.spec?.renewTime ?? "") >= Date.UTC(2026, 0, 1, 0, 3, 49));
    await one.clock.advance({ minutes: 2 });
    const { conditions } = (await one.node()).status ?? {};
    assert.equal(conditions?.[3]?.lastHeartbeatTime, "2026-01-01T00:05:00Z");
    assert.equal(conditions?.[3]?.lastTransitionTime, "2026-01-01T00:00:00Z");
  });

test("the kubelet sets Node conditions and keeps other writers' fields", async () => {
  let health = healthy;
  await using one = await startAgent({ health: () => health });
  const others = { type: "NetworkUnavailable", status: "False", reason: "RouteCreated", message: "" };
  await one.cluster.client
    .resource(nodes)
    .patch("one", { type: "strategic", patch: { status: { conditions: [others] } } }, { subresource: "status" });
  one.runtime.ready = false;
  one.runtime.message = "RuntimeReady=false reason:Busy message:later";
  health = { ...healthy, memoryPressure: true };
  await one.clock.advance({ seconds: 11 });
  const recorded = (await one.node()).status?.conditions?.map(({ type, status, message }) => `${type} ${status} ${message ?? "-"}`);
  assert.deepEqual(recorded?.sort(), [
    "DiskPressure False kubelet has no disk pressure",
    "MemoryPressure True kubelet has insufficient memory available",
    "NetworkUnavailable False -",
    "PIDPressure False kubelet has sufficient PID available",
    "Ready False container runtime not ready: RuntimeReady=false reason:Busy message:later",
  ]);
  one.runtime.ready = true;
  one.agent.refresh();
  await one.clock.settle();
  assert.equal((await one.node()).status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
});

const silences = [
  { name: "hangs", status: () => new Promise<never>(() => {}) },
  { name: "is not there", status: () => Promise.reject(new Error("connection refused")) },
];
for (const { name, status } of silences)
  test(`a runtime that ${name} is down after half a minute, and not before`, async () => {
    const up = async () => ({ ready: true, networkReady: true, message: "", handlers: [] });
    let now: () => Promise<Awaited<ReturnType<typeof up>>> = up;
    await using one = await startAgent({ runtime: { status: () => now(), listImages: async () => [] } });
    const readiness = async () => {
      const ready = (await one.node()).status?.conditions?.find(({ type }) => type === "Ready");
      return `${ready?.status} ${ready?.message}`;
    };
    now = status;
    await one.clock.advance({ seconds: 25 });
    assert.equal(await readiness(), "True kubelet is posting ready status");
    await one.clock.advance({ seconds: 20 });
    assert.equal(await readiness(), "False container runtime is down");
  });

test("a Node's status has the handlers and features of its runtime", async () => {
  const status = async () => ({ ready: true, networkReady: true, message: "", handlers: [], supplementalGroupsPolicy: true });
  await using one = await startAgent({ runtime: { status, listImages: async () => [] } });
  assert.deepEqual((await one.node()).status?.features, { supplementalGroupsPolicy: true });
});

test("a deleted Node is registered again, and an existing one keeps its labels and taints", async () => {
  await using one = await startAgent();
  const { uid } = (await one.node()).metadata ?? {};
  await one.cluster.client.resource(nodes).delete("one");
  await one.clock.advance({ seconds: 11 });
  const again = await one.node();
  assert.notEqual(again.metadata?.uid, uid);
  assert.equal(again.status?.conditions?.length, 4);
  assert.deepEqual(one.warnings, []);
});

test("neither Node nor Lease is taken for gone by a 404 that is not about it", async () => {
  const fault = { kind: "status", error: unknownPath() } as const;
  const asked: string[] = [];
  const faults = new FaultScript([
    { on: ({ resource, verb, subresource }) => asked.push(`${verb} ${resource}${subresource}`) < 0, fault },
    { on: { resource: "nodes", verb: "get" }, nth: 2, fault },
    { on: { resource: "leases", verb: "get" }, nth: 1, fault },
  ]);
  await using one = await startAgent({}, faults);
  await one.clock.advance({ seconds: 11 });
  const of = (resource: string) => asked.filter((request) => request.endsWith(` ${resource}`)).map((request) => request.split(" ")[0]);
  assert.deepEqual(of("nodes"), ["create", "get", "get"]);
  assert.deepEqual(of("leases"), ["get", "get", "create", "update"]);
  assert.equal(one.warnings.length, 2);
});

test("a Lease that cannot be renewed is tried again, later each time", async () => {
  const times: number[] = [];
  const faults = new FaultScript([
    {
      on: ({ resource }) => resource === "leases" && times.push(clock?.now() ?? 0) > 0,
      fault: { kind: "status", error: internalError("no") },
    },
  ]);
  let clock: Clock | undefined;
  await using one = await startAgent({}, faults);
  clock = one.clock;
  await one.clock.advance({ seconds: 60 });
  const pauses = times.slice(2).map((time, i) => time - (times[i + 1] ?? 0));
  for (const [i, pause] of pauses.entries()) {
    const least = Math.min(200 * 2 ** (i + 1), 7_000);
    assert(pause >= least && pause <= 1.5 * least + 1, `pause ${i} was ${pause} ms`);
  }
  assert(pauses.length >= 8, `${pauses.length} pauses`);
});

const merge = (one: Awaited<ReturnType<typeof startAgent>>, status: object) =>
  one.cluster.client.resource(nodes).patch("one", { type: "merge", patch: { status } }, { subresource: "status" });

test("resources that others advertise stay, can be allocated, and end with their capacity", async () => {
  await using one = await startAgent();
  await merge(one, { capacity: { "example.com/foo": "5" } });
  await one.clock.advance({ seconds: 11 });
  const { capacity, allocatable } = (await one.node()).status ?? {};
  assert.deepEqual([capacity?.["example.com/foo"], allocatable?.["example.com/foo"], capacity?.cpu], ["5", "5", "4"]);
  await merge(one, { capacity: { "example.com/foo": null, cpu: "99" } });
  await one.clock.advance({ seconds: 11 });
  const later = (await one.node()).status;
  assert.deepEqual(
    [later?.capacity?.["example.com/foo"], later?.allocatable?.["example.com/foo"], later?.capacity?.cpu],
    [undefined, undefined, "4"],
  );
});

test("an extended resource added while the kubelet writes its status stays", async () => {
  let stale: Awaited<ReturnType<Awaited<ReturnType<typeof startAgent>>["node"]>> | undefined;
  await using one = await startAgent({ known: () => stale });
  await merge(one, { capacity: { "example.com/foo": "5", cpu: "99" } });
  stale = await one.node();
  await merge(one, { capacity: { "example.com/bar": "6" } });
  await one.clock.advance({ seconds: 11 });
  const { capacity } = (await one.node()).status ?? {};
  assert.deepEqual([capacity?.["example.com/foo"], capacity?.["example.com/bar"], capacity?.cpu], ["5", "6", "4"]);
});
