import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type ContainerConfig, type ContainerStatus, createCriRuntime, type LogEntry, RuntimeError } from "@coxswain/kubelet";
import { systemClock } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { containerConfig, sandboxConfig } from "./containerd/configs.ts";
import { type Containerd, startContainerd } from "./containerd/containerd.ts";
import { fetched } from "./containerd/fetched.ts";
import { images } from "./containerd/images.ts";
import { leftoversOf } from "./containerd/leftovers.ts";
import { enterPrivateNetwork } from "./containerd/private-network.ts";
import { startRegistry } from "./containerd/registry.ts";
import { startPod } from "./containerd/started-pod.ts";
import { whyNoContainers } from "./containerd/why-no-containers.ts";

enterPrivateNetwork();

function containerdTest(name: string, run: (containerd: Containerd, signal: AbortSignal) => Promise<void>): void {
  test(`containerd: ${name}`, { skip: whyNoContainers() ?? false, timeout: hangMs }, async ({ signal }) => {
    await using containerd = await startContainerd();
    await run(containerd, signal);
  });
}

const sleeping = { command: ["sleep", "3600"] };

containerdTest("a Pod runs, and leaves nothing behind", async (containerd, signal) => {
  const { runtime } = containerd;
  const before = leftoversOf(containerd);
  const { sandboxId, ip, status } = await startPod(containerd, signal, { container: { image: images.web1 } });
  const { state, pod, name, image } = await status();
  assert.deepEqual({ state, pod: pod.name, name, image }, { state: "running", pod: "pod", name: "main", image: images.web1 });
  assert.equal(await fetched(`http://${ip}:8080/`, signal), "version 1\n");
  assert.equal(leftoversOf(containerd).interfaces.length, 1);

  await runtime.stopPodSandbox(sandboxId, signal);
  assert.deepEqual(
    (await runtime.listPodSandboxes(signal)).map(({ ready, ips }) => ({ ready, ips })),
    [{ ready: false, ips: [] }],
  );
  await runtime.removePodSandbox(sandboxId, signal);
  assert.deepEqual(leftoversOf(containerd), before);
});

containerdTest("what an earlier process has stopped is removed with its control groups", async (containerd, signal) => {
  const { runtime, socket } = containerd;
  await startPod(containerd, signal, { name: "stays", container: sleeping });
  const before = leftoversOf(containerd);
  const { sandboxId } = await startPod(containerd, signal, { container: { image: images.web1 } });
  await runtime.stopPodSandbox(sandboxId, signal);
  await using next = await createCriRuntime({ socket, clock: systemClock });
  await next.removePodSandbox(sandboxId, signal);
  assert.deepEqual(leftoversOf(containerd), before);
});

containerdTest("ending what has ended already, or is not there, is fine", async ({ runtime }, signal) => {
  await runtime.stopContainer("nothing", 1, signal);
  await runtime.removeContainer("nothing", signal);
  await runtime.stopPodSandbox("nothing", signal);
  await runtime.removePodSandbox("nothing", signal);
});

const ends: readonly { name: string; config: Partial<ContainerConfig>; graceSeconds?: number; expect: Partial<ContainerStatus> }[] = [
  { name: "by itself, well", config: { command: ["true"] }, expect: { exitCode: 0, reason: "Completed" } },
  { name: "by itself, with an error", config: { image: images.crash }, expect: { exitCode: 3, reason: "Error" } },
  {
    name: "for its memory",
    config: { image: images.hog, resources: { memoryLimitBytes: 16 * 1024 * 1024 } },
    expect: { exitCode: 137, reason: "OOMKilled" },
  },
  { name: "when asked to", config: { image: images.web1 }, graceSeconds: 10, expect: { exitCode: 0, reason: "Completed" } },
  { name: "when it would not", config: { image: images.stubborn }, graceSeconds: 1, expect: { exitCode: 137, reason: "Error" } },
];
for (const { name, config, graceSeconds, expect } of ends)
  containerdTest(`reports how a container ended: ${name}`, async (containerd, signal) => {
    const { containerId, ended } = await startPod(containerd, signal, { container: config });
    if (graceSeconds !== undefined) await containerd.runtime.stopContainer(containerId, graceSeconds, signal);
    await ended();
    // Of what the kernel killed, the reason may be known a moment later than the end.
    for (let tries = 0; tries < 3_000 && (await ended()).reason !== expect.reason; tries++) await delay(20);
    const { exitCode, reason, startedAt, finishedAt } = await ended();
    assert.deepEqual({ exitCode, reason }, expect);
    // containerd takes the two at different moments: of what ends at once, the end may be the earlier one.
    assert.ok(startedAt > 0 && finishedAt > startedAt - 1_000);
  });

containerdTest("reports that a command cannot be started", async (containerd, signal) => {
  const { runtime } = containerd;
  const sandbox = sandboxConfig(containerd, { uid: "u", namespace: "default", name: "pod" });
  const sandboxId = await runtime.runPodSandbox(sandbox, signal);
  const id = await runtime.createContainer(sandboxId, containerConfig(sandbox, "main", { command: ["/nothing"] }), sandbox, signal);
  await assert.rejects(runtime.startContainer(id, signal), (error: unknown) => {
    assert.ok(error instanceof RuntimeError);
    assert.match(error.message, /^rpc error: code = \w+ desc = failed to create containerd task: .*no such file or directory/);
    return true;
  });
  const [status] = await runtime.listContainers(signal);
  assert.deepEqual([status?.state, status?.exitCode, status?.reason], ["exited", 128, "StartError"]);
});

containerdTest("runs commands in a container", async (containerd, signal) => {
  const { runtime } = containerd;
  const { containerId } = await startPod(containerd, signal, { container: sleeping });
  const { exitCode, stdout, stderr } = await runtime.execSync(containerId, ["sh", "-c", "echo out; echo err >&2; exit 4"], 5, signal);
  assert.deepEqual([exitCode, String(stdout), String(stderr)], [4, "out\n", "err\n"]);
  await assert.rejects(runtime.execSync(containerId, ["sleep", "60"], 1, signal), {
    kind: "timeout",
    message: 'command timed out: "sleep 60" timed out after 1s',
  });
  await assert.rejects(runtime.execSync("nothing", ["true"], 1, signal), { kind: "notFound" });

  using terminal = await runtime.exec(
    containerId,
    { command: ["sh", "-c", "cat; exit 7"], stdin: true, stdout: true, stderr: true, tty: false },
    signal,
  );
  await terminal.writeStdin(Buffer.from("through and through"));
  terminal.endStdin();
  assert.equal(await text(terminal.stdout), "through and through");
  assert.equal(await terminal.exited, 7);
});

containerdTest("gives a command a terminal of the size that is asked for", async (containerd, signal) => {
  const { containerId } = await startPod(containerd, signal, { container: sleeping });
  using terminal = await containerd.runtime.exec(
    containerId,
    {
      command: ["sh", "-c", "until stty size 2>/dev/null | grep '40 100'; do sleep 0.05; done"],
      stdin: true,
      stdout: true,
      stderr: true,
      tty: true,
    },
    signal,
  );
  assert.equal(terminal.stderr, undefined);
  terminal.resize({ width: 100, height: 40 });
  assert.equal(await terminal.exited, 0);
  assert.equal(await text(terminal.stdout), "40 100\r\n");
});

containerdTest("attaches to a container's own streams", async (containerd, signal) => {
  const container = { command: ["sh", "-c", "read line; echo got $line; exit 5"], stdin: true, stdinOnce: true };
  const { containerId, ended } = await startPod(containerd, signal, { container });
  using terminal = await containerd.runtime.attach(containerId, { stdin: true, stdout: true, stderr: true, tty: false }, signal);
  await terminal.writeStdin(Buffer.from("a line\n"));
  assert.equal(await text(terminal.stdout), "got a line\n");
  assert.equal((await ended()).exitCode, 5);
});

containerdTest("connects to ports that Pods open on their own loopback", async (containerd, signal) => {
  const { runtime } = containerd;
  const { sandboxId, containerId } = await startPod(containerd, signal, { container: { image: images.web2 } });
  const sockets = ["cat", "/proc/net/tcp", "/proc/net/tcp6"];
  await waitUntil("the server listens at port 8080", async () =>
    /:1F90 0+:0000 0A/.test(String((await runtime.execSync(containerId, sockets, 5, signal)).stdout)),
  );
  using connection = await runtime.portForward(sandboxId, 8080, signal);
  await connection.write(Buffer.from("GET / HTTP/1.0\r\n\r\n"));
  assert.match(await text(connection.readable), /\r\n\r\nversion 2\n$/);
  using refused = await runtime.portForward(sandboxId, 8081, signal);
  await assert.rejects(text(refused.readable), /connection refused/);
});

containerdTest("follows logs over their rotation, to the container's end", async (containerd, signal) => {
  const { runtime } = containerd;
  const script = "echo first; echo second >&2; while [ ! -e /tmp/go ]; do sleep 0.05; done; echo third";
  const { containerId, status } = await startPod(containerd, signal, { container: { command: ["sh", "-c", script] } });
  const container = await status();
  const seen: LogEntry[] = [];
  for await (const entry of runtime.logs(container, { follow: true, tailLines: undefined }, signal)) {
    seen.push(entry);
    if (seen.length !== 2) continue;
    await rename(container.logPath, `${container.logPath}.1`);
    await runtime.reopenContainerLog(containerId, signal);
    await runtime.execSync(containerId, ["touch", "/tmp/go"], 5, signal);
  }
  assert.deepEqual(seen.map(({ stream, content }) => [stream, String(Buffer.from(content))]).sort(), [
    ["stderr", "second"],
    ["stdout", "first"],
    ["stdout", "third"],
  ]);
});

containerdTest("containers outlive their runtime's end, and are found again", async (containerd, signal) => {
  const { runtime } = containerd;
  const { containerId, status } = await startPod(containerd, signal, { container: { image: images.web1 } });
  const { startedAt } = await status();
  await containerd.kill();
  await assert.rejects(runtime.listContainers(signal), { kind: "unavailable" });
  await containerd.start();
  const found = await status();
  assert.deepEqual([found.id, found.state, found.startedAt], [containerId, "running", startedAt]);
  assert.equal((await runtime.execSync(containerId, ["true"], 5, signal)).exitCode, 0);
});

containerdTest("a runtime that hangs costs no more than the time that a call has, and works on afterwards", async (containerd, signal) => {
  const { runtime } = containerd;
  await containerd.freeze();
  const shortly = AbortSignal.any([signal, AbortSignal.timeout(200)]);
  await assert.rejects(runtime.status(shortly), { name: "TimeoutError" });
  containerd.thaw();
  assert.equal((await runtime.status(signal)).ready, true);
});

containerdTest("pulls images, with credentials where they are needed", async (containerd, signal) => {
  const { runtime } = containerd;
  const sandbox = sandboxConfig(containerd, { uid: "u", namespace: "default", name: "pod" });
  await using registry = await startRegistry(containerd.images, { credentials: "somebody:secret" });
  const name = registry.name(containerd.images.find((image) => image.name === images.web1)!);
  assert.equal(await runtime.imageStatus(name, signal), undefined);
  await assert.rejects(
    runtime.pullImage(name, undefined, sandbox, signal),
    /^RuntimeError: failed to pull and unpack image .*(401 Unauthorized|authorization failed)/,
  );
  const ref = await runtime.pullImage(name, { username: "somebody", password: "secret" }, sandbox, signal);
  const found = await runtime.imageStatus(name, signal);
  assert.equal(found?.id, ref);
  assert.ok(found.tags.includes(name));
  const missing = runtime.pullImage(`${registry.host}/nothing:1`, { username: "somebody", password: "secret" }, sandbox, signal);
  await assert.rejects(missing, { kind: "notFound", message: /^rpc error: code = NotFound desc = failed to pull and unpack image/ });
  await runtime.removeImage(ref, signal);
  assert.equal(await runtime.imageStatus(name, signal), undefined);
  assert.ok((await runtime.imageFileSystem(signal)).capacityBytes > 0);
});

containerdTest("reports container events, or that there are none: containerd has them since 1.7", async (containerd, signal) => {
  const { runtime } = containerd;
  const recorded: string[] = [];
  const ending = new AbortController();
  const listening = (async () => {
    for await (const { podUid } of runtime.events?.(AbortSignal.any([signal, ending.signal])) ?? []) recorded.push(podUid);
  })();
  listening.catch(() => undefined);
  const { sandbox, ended } = await startPod(containerd, signal, { container: { command: ["true"] } });
  await ended();
  const { version } = await runtime.version(signal);
  if (/^1\.[0-6]\./.test(version)) return await assert.rejects(listening, { kind: "unimplemented" });
  await waitUntil("three events", () => recorded.length >= 3, { pause: () => delay(20, undefined, { signal }) });
  assert.deepEqual(new Set(recorded), new Set([sandbox.pod.uid]));
  ending.abort();
  await listening;
});

containerdTest("counts what containers use, and limits it while they run", async (containerd, signal) => {
  const { runtime } = containerd;
  const limited = { ...sleeping, resources: { memoryLimitBytes: 64 * 1024 * 1024, cpuShares: 128 } };
  const { containerId, sandboxId } = await startPod(containerd, signal, { container: limited });
  const ended = await startPod(containerd, signal, { name: "ended", container: { command: ["true"] } });
  await ended.ended();
  await runtime.stopPodSandbox(ended.sandboxId, signal);
  const { containers, sandboxes } = await runtime.stats(signal);
  const [container] = containers.filter(({ id }) => id === containerId);
  assert.ok(container !== undefined && container.memoryWorkingSetBytes > 0 && container.cpuNanoseconds > 0 && container.at > 0);
  assert.ok(sandboxes.some(({ id, at }) => id === sandboxId && at > 0));

  await runtime.updateContainerResources(containerId, { memoryLimitBytes: 32 * 1024 * 1024 }, signal);
  const limit = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max";
  const { stdout } = await runtime.execSync(containerId, ["sh", "-c", limit], 5, signal);
  assert.equal(String(stdout).trim(), String(32 * 1024 * 1024));
});

containerdTest("gives containers what their configuration says", async (containerd, signal) => {
  const { runtime } = containerd;
  const config: Partial<ContainerConfig> = {
    command: ["sh", "-c"],
    args: ["sleep 3600"],
    workingDir: "/tmp",
    env: [{ name: "GREETING", value: "Grüße" }],
    mounts: [{ containerPath: "/given", hostPath: containerd.folder, readOnly: true, propagation: "private" }],
  };
  const { containerId } = await startPod(containerd, signal, { container: config, sandbox: { sysctls: { "net.ipv4.ip_forward": "0" } } });
  const script = "pwd; echo $GREETING; hostname; grep nameserver /etc/resolv.conf; touch /given/x 2>&1; cat /proc/sys/net/ipv4/ip_forward";
  const { stdout } = await runtime.execSync(containerId, ["sh", "-c", script], 5, signal);
  assert.deepEqual(String(stdout).trim().split("\n"), [
    "/tmp",
    "Grüße",
    "pod",
    "nameserver 10.96.0.10",
    "touch: /given/x: Read-only file system",
    "0",
  ]);
});

containerdTest("lets Pods use the node's network, or take one of its ports", async (containerd, signal) => {
  const host = await startPod(containerd, signal, {
    name: "host",
    sandbox: { network: "node", hostname: "" },
    container: { image: images.web1 },
  });
  assert.equal(host.ip, "");
  assert.equal(await fetched("http://127.0.0.1:8080/", signal), "version 1\n");
  const portMappings = [{ protocol: "TCP", containerPort: 8080, hostPort: 8888, hostIp: "" }] as const;
  await startPod(containerd, signal, { name: "mapped", sandbox: { portMappings }, container: { image: images.web2 } });
  assert.equal(await fetched("http://10.88.0.1:8888/", signal), "version 2\n");
});

containerdTest("lets containers of a Pod see each other's processes where they shall", async (containerd, signal) => {
  const { runtime } = containerd;
  const { containerId } = await startPod(containerd, signal, { sandbox: { pid: "pod" }, container: { ...sleeping, pid: "pod" } });
  const { stdout } = await runtime.execSync(containerId, ["ps"], 5, signal);
  assert.match(String(stdout), /tail -f \/dev\/null/);
});

async function text(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
