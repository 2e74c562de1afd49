import assert from "node:assert/strict";
import test from "node:test";
import type { coreV1 } from "@coxswain/api";
import { ManualClock } from "@coxswain/machinery";
import type { Dial } from "../probe/dial.ts";
import { createHandlerRunner } from "./handler-runner.ts";

const { signal } = new AbortController();
const pod = { metadata: { name: "web", namespace: "default", uid: "u1" } };
const container = { name: "main", ports: [{ name: "http", containerPort: 8080 }] };

function hooks(http: Dial["http"] = async () => ({ status: 500, body: "" })) {
  const asked: string[] = [];
  const recorded: string[] = [];
  const clock = new ManualClock();
  const created = createHandlerRunner({
    clock,
    runtime: {
      execSync: async (_id, command) => ({ exitCode: command[0] === "false" ? 1 : 0, stdout: new Uint8Array(), stderr: Buffer.from("no") }),
    },
    dial: {
      http: (call, ends) => {
        asked.push(`${call.scheme}://${call.host}:${call.port}${call.path} ${call.headers.join(" ")}`);
        return http(call, ends);
      },
      tcp: async () => undefined,
      grpc: async () => ({ kind: "unreachable" }),
    },
    events: { record: (_about, { reason, message }) => void recorded.push(`${reason}: ${message}`) },
  });
  const run = (hook: coreV1.LifecycleHandler, podIp = "10.0.0.7", ends = signal) =>
    created.run({ pod, container, id: "c0", podIp }, hook, ends);
  return { run, asked, recorded, clock };
}

test("Any answer over HTTP is good, whatever its status", async () => {
  const { run, asked } = hooks();
  await run({ httpGet: { port: "http", path: "bye", httpHeaders: [{ name: "accept", value: "" }] } });
  assert.deepEqual(asked, ["http://10.0.0.7:8080/bye User-Agent,kube-lifecycle/1.36"]);
});

test("Who is asked in TLS and answers without is asked again without, and without secrets", async () => {
  const { run, asked, recorded } = hooks(async ({ scheme }) => {
    if (scheme === "https") throw new Error("http: server gave HTTP response to HTTPS client");
    return { status: 200, body: "" };
  });
  await run({ httpGet: { port: 80, scheme: "HTTPS", path: "/", httpHeaders: [{ name: "authorization", value: "Bearer x" }] } });
  assert.equal(asked[1], "http://10.0.0.7:80/ User-Agent,kube-lifecycle/1.36 Accept,*/*");
  assert.deepEqual(recorded, [
    "LifecycleHTTPFallback: request to HTTPS lifecycle hook 10.0.0.7:80 got HTTP response, retry with HTTP succeeded",
  ]);
});

const failures: readonly { hook: coreV1.LifecycleHandler; message: string }[] = [
  {
    hook: { exec: { command: ["false", "x"] } },
    message:
      `Exec lifecycle hook ([false x]) for Container "main" in Pod "web_default(u1)" failed - ` +
      `error: command 'false x' exited with 1: no, message: "no"`,
  },
  {
    hook: { httpGet: { path: "/bye", port: 80 } },
    message:
      `HTTP lifecycle hook (/bye) for Container "main" in Pod "web_default(u1)" failed - ` +
      `error: Get "http://10.0.0.7:80/bye": dial tcp 10.0.0.7:80: connect: connection refused`,
  },
  { hook: { tcpSocket: { port: 80 } }, message: 'Cannot run handler: invalid handler: {"tcpSocket":{"port":80}}' },
];
for (const { hook, message } of failures) {
  test(`A hook that fails says: ${message.slice(0, 30)}…`, async () => {
    const { run } = hooks(() => Promise.reject(new Error("dial tcp 10.0.0.7:80: connect: connection refused")));
    await assert.rejects(run(hook), { name: "SyncError", reason: "PostStartHookError", message });
  });
}

test("Sleep takes its time, or fails when the container ends first", async () => {
  const { run, clock } = hooks();
  const slept = run({ sleep: { seconds: 5 } });
  clock.advance(5000);
  await slept;
  const ends = new AbortController();
  const interrupted = run({ sleep: { seconds: 5 } }, "", ends.signal);
  ends.abort();
  await assert.rejects(interrupted, /Sleep lifecycle hook \(5\) .* failed - error: container terminated before sleep hook finished/);
  assert.equal(clock.waiting, 0);
});
