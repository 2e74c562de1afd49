import assert from "node:assert/strict";
import { test } from "node:test";
import { GrpcError, grpcCodes } from "@coxswain/grpc";
import { ManualClock, systemClock } from "@coxswain/machinery";
import type { GrpcHandler, GrpcServerCall } from "../../../../tests/grpc-server.ts";
import { containerConfig, sandboxConfig } from "../simulated/simulated-under-test.ts";
import { createCriRuntime } from "./create-cri-runtime.ts";
import { startCriServer } from "./cri-server-under-test.ts";

const forEver = new AbortController().signal;

async function against(methods: Readonly<Record<string, GrpcHandler>>, clock = systemClock) {
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

const answering = (answer: object) => (): object => answer;
const failing = (code: number, details: string) => (): never => {
  throw new GrpcError(code, details);
};
/** Never answers, and says when it was asked and when the client has gone. */
const silent =
  (asked: () => void, gone: () => void) =>
  (_: never, { signal }: GrpcServerCall) =>
    new Promise<never>(() => {
      signal.addEventListener("abort", gone);
      asked();
    });

const failures = [
  { code: grpcCodes.NotFound, kind: "notFound", name: "NotFound" },
  { code: grpcCodes.AlreadyExists, kind: "alreadyExists", name: "AlreadyExists" },
  { code: grpcCodes.DeadlineExceeded, kind: "timeout", name: "DeadlineExceeded" },
  { code: grpcCodes.Unavailable, kind: "unavailable", name: "Unavailable" },
  { code: grpcCodes.Unimplemented, kind: "unimplemented", name: "Unimplemented" },
  { code: grpcCodes.InvalidArgument, kind: "refused", name: "InvalidArgument" },
  { code: grpcCodes.Unknown, kind: "unknown", name: "Unknown" },
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
  await using under = await against({ Version: silent(asked.resolve, gone.resolve) }, clock);
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
  await using under = await against({ Version: silent(asked.resolve, gone.resolve) });
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
  const answers = {
    Version: answering({ runtimeName: "played", runtimeVersion: "1" }),
    StartContainer: silent(asked.resolve, () => undefined),
  };
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
  const gone = Promise.withResolvers<void>();
  async function* GetContainerEvents(_: never, { signal }: GrpcServerCall) {
    signal.addEventListener("abort", () => gone.resolve());
    yield* events;
    await gone.promise;
  }
  await using under = await against({ GetContainerEvents });
  const abort = new AbortController();
  const seen: string[] = [];
  for await (const { podUid } of under.runtime.events?.(abort.signal) ?? []) if (seen.push(podUid) === 2) abort.abort();
  assert.deepEqual(seen, ["a", "b"]);
  await gone.promise;
});

test("what is known of a container is asked once, until its state changes, and of one just ended again", async () => {
  const clock = new ManualClock(1_000_000);
  let state = "CONTAINER_RUNNING";
  let asked = 0;
  const ContainerStatus = () => {
    asked++;
    return { status: { id: "c", state, finishedAt: state === "CONTAINER_EXITED" ? 1_000_000e6 : 0 } };
  };
  const ListContainers = () => ({ containers: [{ id: "c", state }] });
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
    ListPodSandboxStats: failing(grpcCodes.Unknown, "one of them is not ready"),
    ListPodSandbox: answering({ items: [{ id: "a" }, { id: "b", state: "SANDBOX_NOTREADY" }, { id: "c" }] }),
    PodSandboxStats({ podSandboxId }: { podSandboxId: string }) {
      if (podSandboxId !== "a") throw new GrpcError(grpcCodes.NotFound, "gone");
      return { stats: { attributes: { id: "a" }, linux: { network } } };
    },
  });
  const { containers, sandboxes } = await under.runtime.stats(forEver);
  assert.deepEqual(sandboxes, [{ id: "a", at: 5, networkReceivedBytes: 1, networkSentBytes: 2 }]);
  assert.deepEqual(
    containers.map(({ id, at }) => ({ id, at })),
    [{ id: "c", at: 7 }],
  );
});

test("an image is mounted by its own fields, and found among the mounts of its container", async () => {
  const asked: object[] = [];
  const mounts = [
    { containerPath: "/data", hostPath: "/run/images/1", image: { image: "sha256:1" } },
    { containerPath: "/etc/hosts", hostPath: "/hosts" },
  ];
  await using under = await against({
    RuntimeConfig: answering({ linux: { cgroupDriver: "CGROUPFS" } }),
    CreateContainer: ({ config }: { config: { mounts: object[] } }) => {
      asked.push(...config.mounts);
      return { containerId: "c" };
    },
    ListContainers: answering({ containers: [{ id: "c", podSandboxId: "s" }] }),
    ContainerStatus: answering({ status: { id: "c", mounts } }),
  });
  const image = { ref: "sha256:1", reference: "data:1", runtimeHandler: "kata", annotations: { a: "b" }, subPath: "etc" };
  const config = containerConfig({ mounts: [{ containerPath: "/data", hostPath: "", image, readOnly: true, propagation: "private" }] });
  await under.runtime.createContainer("s", config, sandboxConfig(), forEver);
  assert.deepEqual(asked, [
    {
      containerPath: "/data",
      hostPath: "",
      readonly: true,
      propagation: "PROPAGATION_PRIVATE",
      recursiveReadOnly: false,
      image: { image: "sha256:1", userSpecifiedImage: "data:1", runtimeHandler: "kata", annotations: { a: "b" } },
      imageSubPath: "etc",
    },
  ]);
  const [listed] = await under.runtime.listContainers(forEver);
  assert.deepEqual(listed?.mounts, [
    { containerPath: "/data", hostPath: "/run/images/1", image: "sha256:1" },
    { containerPath: "/etc/hosts", hostPath: "/hosts" },
  ]);
});

test("which images it mounts follows from the release of the runtime", async () => {
  await using under = await against({ Version: answering({ runtimeName: "containerd", runtimeVersion: "1.6.20" }) });
  assert.match((await under.runtime.imageVolumes?.(forEver))?.images ?? "", /need containerd 2\.1 or newer/);
});
