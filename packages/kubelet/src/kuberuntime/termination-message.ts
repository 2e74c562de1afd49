/**
 * What a container wants to be known of its end.
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
import { messageOf } from "@coxswain/machinery";
import { openRegular } from "../files/open-regular.ts";
import { messageRecordOf } from "../pod/container-record.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

/** Bytes, from the end of the file; of logs bytes and lines. */
const maxInFile = 4096;
const maxInLogs = 2048;
const maxLines = 80;

/** Empty when it said nothing. */
export async function terminationMessage(runtime: PodRuntime, container: ContainerStatus, signal: AbortSignal): Promise<string> {
  const { path, fallsBackToLogs } = messageRecordOf(container);
  const mayUseLogs = fallsBackToLogs && container.exitCode !== 0 && container.reason !== "ContainerCannotRun";
  const mount = path === "" ? undefined : container.mounts.find(({ containerPath }) => containerPath === path);
  const said = mount === undefined ? "" : await readEnd(mount.hostPath);
  return said === "" && mayUseLogs ? readLogs(runtime, container, signal) : said;
}

async function readEnd(path: string): Promise<string> {
  try {
    await using file = await openRegular(path);
    const { size } = await file.stat();
    const length = Math.min(size, maxInFile);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing ? "" : `Error on reading termination log ${path}: ${messageOf(error)}`;
  }
}

async function readLogs(runtime: PodRuntime, container: ContainerStatus, signal: AbortSignal): Promise<string> {
  try {
    let bytes = Buffer.alloc(0);
    for await (const { content, partial } of runtime.logs(container, { follow: false, tailLines: maxLines }, signal)) {
      bytes = Buffer.concat([bytes, content, ...(partial ? [] : [newline])]);
      if (bytes.length > maxInLogs) bytes = bytes.subarray(bytes.length - maxInLogs);
    }
    return bytes.toString("utf8");
  } catch (error) {
    return `Error on reading termination message from logs: ${messageOf(error)}`;
  }
}

const newline = Buffer.from("\n");
