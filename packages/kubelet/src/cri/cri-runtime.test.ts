import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { type sendUnaryData, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { createCriRuntime } from "./create-cri-runtime.ts";
import { startCriServer } from "./cri-server-under-test.ts";

const forEver = new AbortController().signal;

async function against(methods: UntypedServiceImplementation, clock = systemClock) {
  const server = await startCriServer(methods);
  const runtime = await createCriRuntime({ socket: `unix://${server.socket}`, clock, timeoutMs: 1_000 });
  return {
    runtime,
    server,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const answering =
  (answer: object) =>
  (_: unknown, reply: sendUnaryData<object>): void =>
    reply(null, answer);
const failing =
  (code: status, details: string) =>
  (_: unknown, reply: sendUnaryData<object>): void =>
    reply({ code, details });

const failures = [
  { code: status.NOT_FOUND, kind: "notFound", name: "NotFound" },
  { code: status.ALREADY_EXISTS, kind: "alreadyExists", name: "AlreadyExists" },
  { code: status.DEADLINE_EXCEEDED, kind: "timeout", name: "DeadlineExceeded" },
  { code: status.UNAVAILABLE, kind: "unavailable", name: "Unavailable" },
  { code: status.UNIMPLEMENTED, kind: "unimplemented", name: "Unimplemented" },
  { code: status.INVALID_ARGUMENT, kind: "refused", name: "InvalidArgument" },
  { code: status.UNKNOWN, kind: "unknown", name: "Unknown" },
] as const;
for (const { code, kind, name } of failures)
  test(`a failure with gRPC's code ${name} is ${kind}, and reads as a Go client's`, async () => {
    await using under = await against({ StartContainer: failing(code, "so it is") });
    await assert.rejects(under.runtime.startContainer("c", forEver), { kind, message: `rpc error: code = ${name} desc = so it is` });
  });

test("each call has a time limit, of the clock that the kubelet goes by", async () => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const Version = (call: { on(event: "cancelled", then: () => void): void }) => {
    call.on("cancelled", gone.resolve);
    asked.resolve();
  };
  await using under = await against({ Version }, clock);
  const call = under.runtime.version(forEver);
  call.catch(() => undefined);
  await asked.promise;
  clock.advance(1_000);
  await assert.rejects(call, { kind: "timeout", message: "rpc error: code = DeadlineExceeded desc = context deadline exceeded" });
  await gone.promise;
});

test("an aborted call rejects with its reason, and is cancelled at the runtime", async () => {
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const Version = (call: { on(event: "cancelled", then: () => void): void }) => {
    call.on("cancelled", gone.resolve);
    asked.resolve();
  };
  await using under = await against({ Version });
  const abort = new AbortController();
  const call = under.runtime.version(abort.signal);
  await asked.promise;
  abort.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await gone.promise;
  await assert.rejects(under.runtime.version(abort.signal), /enough/);
});

test("a runtime that goes is unavailable at once, also to calls under way, and found again", async () => {
  const asked = Promise.withResolvers<void>();
  const answers = { Version: answering({ runtimeName: "played", runtimeVersion: "1" }), StartContainer: () => asked.resolve() };
  await using under = await against(answers);
  const call = under.runtime.startContainer("c", forEver);
  await asked.promise;
  under.server.stop();
  await assert.rejects(call, { name: "RuntimeError" });
  await assert.rejects(under.runtime.version(forEver), {
    kind: "unavailable",
    message: `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix ${under.server.socket}: connect: no such file or directory"`,
  });
  await under.server.start();
  for (;;) {
    const found = await under.runtime.version(forEver).catch(() => undefined);
    if (found === undefined) continue;
    assert.deepEqual(found, { name: "played", version: "1" });
    break;
  }
});

test("more than 16 MiB in one answer is refused", async () => {
  await using under = await against({ ExecSync: answering({ stdout: Buffer.alloc(17 * 1024 * 1024) }) });
  await assert.rejects(under.runtime.execSync("c", ["yes"], 0, forEver), { kind: "refused", message: /code = ResourceExhausted/ });
});

test("events name the Pods that they are of", async () => {
  const events = [
    { podSandboxStatus: { metadata: { uid: "a" } } },
    {
      containersStatuses: [{ labels: { "io.kubernetes.pod.uid": "b", "io.kubernetes.pod.name": "n", "io.kubernetes.pod.namespace": "s" } }],
    },
    { containersStatuses: [] },
  ];
  const GetContainerEvents = (call: { write(event: object): void }) => {
    for (const event of events) call.write(event);
  };
  await using under = await against({ GetContainerEvents });
  const abort = new AbortController();
  const seen: string[] = [];
  for await (const { podUid } of under.runtime.events?.(abort.signal) ?? []) if (seen.push(podUid) === 2) abort.abort();
  assert.deepEqual(seen, ["a", "b"]);
});

test("what is known of a container is asked once, until its state changes, and of one just ended again", async () => {
  const clock = new ManualClock(1_000_000);
  let state = "CONTAINER_RUNNING";
  let asked = 0;
  const ContainerStatus = (_: unknown, reply: sendUnaryData<object>) => {
    asked++;
    reply(null, { status: { id: "c", state, finishedAt: state === "CONTAINER_EXITED" ? 1_000_000e6 : 0 } });
  };
  const ListContainers = (_: unknown, reply: sendUnaryData<object>) => reply(null, { containers: [{ id: "c", state }] });
  await using under = await against({ ContainerStatus, ListContainers }, clock);
  const questions = async () => {
    const before = asked;
    await under.runtime.listContainers(forEver);
    await under.runtime.listContainers(forEver, "some Pod's");
    return asked - before;
  };
  assert.equal(await questions(), 1);
  assert.equal(await questions(), 0);
  state = "CONTAINER_EXITED";
  assert.equal(await questions(), 2);
  clock.advance(11_000);
  assert.equal(await questions(), 1);
  assert.equal(await questions(), 0);
});

test("conditions of the runtime are returned as the Node's condition has them", async () => {
  const conditions = [
    { type: "RuntimeReady", status: true },
    { type: "NetworkReady", status: false, reason: "NetworkPluginNotReady", message: "cni plugin not initialized" },
  ];
  await using under = await against({
    Status: answering({
      status: { conditions },
      runtimeHandlers: [{ name: "" }, { name: "runc", features: { recursiveReadOnlyMounts: true } }],
    }),
  });
  assert.deepEqual(await under.runtime.status(forEver), {
    ready: true,
    networkReady: false,
    message: "NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized",
    handlers: [
      { name: "", recursiveReadOnlyMounts: false, userNamespaces: false },
      { name: "runc", recursiveReadOnlyMounts: true, userNamespaces: false },
    ],
  });
});

test("figures of sandboxes are asked one by one where the list fails", async () => {
  const network = { timestamp: 5e6, defaultInterface: { rxBytes: { value: 1 }, txBytes: { value: 2 } } };
  await using under = await against({
    ListContainerStats: answering({
      stats: [{ attributes: { id: "c" }, cpu: { timestamp: 7e6 }, memory: {} }, { attributes: { id: "ended" } }],
    }),
    ListPodSandboxStats: failing(status.UNKNOWN, "one of them is not ready"),
    ListPodSandbox: answering({ items: [{ id: "a" }, { id: "b", state: "SANDBOX_NOTREADY" }, { id: "c" }] }),
    PodSandboxStats: ({ request }: { request: { podSandboxId: string } }, reply: sendUnaryData<object>) =>
      request.podSandboxId === "a"
        ? reply(null, { stats: { attributes: { id: "a" }, linux: { network } } })
        : reply({ code: status.NOT_FOUND, details: "gone" }),
  });
  const { containers, sandboxes } = await under.runtime.stats(forEver);
  assert.deepEqual(sandboxes, [{ id: "a", at: 5, networkReceivedBytes: 1, networkSentBytes: 2 }]);
  assert.deepEqual(
    containers.map(({ id, at }) => ({ id, at })),
    [{ id: "c", at: 7 }],
  );
});
