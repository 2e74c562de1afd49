import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { messageRecordOf } from "../pod/container-record.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { terminationMessage } from "./termination-message.ts";

const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const containerPath = "/dev/termination-log";
const runtime = {} as PodRuntime;

function messageIn(hostPath: string): Promise<string> {
  const container = {
    annotations: { "io.kubernetes.container.terminationMessagePath": containerPath },
    mounts: [{ containerPath, hostPath, readOnly: false, propagation: "private" }],
    exitCode: 1,
  } as unknown as ContainerStatus;
  assert.equal(messageRecordOf(container).path, containerPath);
  return terminationMessage(runtime, container, new AbortController().signal);
}

test("the end of the file is the message", async () => {
  const path = join(folder, "message");
  writeFileSync(path, `${"x".repeat(5000)}end`);
  const message = await messageIn(path);
  assert.equal(message.length, 4096);
  assert.ok(message.endsWith("xend"));
});

test("a pipe that the container has put in the file's place is not waited for", async () => {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  assert.equal(await messageIn(path), `Error on reading termination log ${path}: ${path} is not a regular file`);
});

test("a link that the container has put in the file's place is not followed", async () => {
  const path = join(folder, "link");
  writeFileSync(join(folder, "secret"), "of the node");
  symlinkSync(join(folder, "secret"), path);
  assert.match(await messageIn(path), /^Error on reading termination log .*: ELOOP/);
});
