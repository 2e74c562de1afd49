/**
 * A runtime whose containers are processes of whoever started it, each in a private directory: for machines without
 * containers, and by explicit choice only. Nothing is isolated: a process sees the machine's files, network and other
 * processes, as its user may; limits of memory and CPU, read-only volumes and root file systems, dropped capabilities and
 * seccomp are not enforced. What would be a lie is refused (`refusals.ts`). Images are only names. Volumes are at
 * `$COXSWAIN_ROOT/<mountPath>`. Processes outlive this one, and are found again.
 */

import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { DisposableStack } from "@coxswain/machinery";
import { readCriLogs } from "../logs/read-cri-logs.ts";
import { PodChanges } from "../runtime/pod-changes.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ImageInfo } from "../runtime/runtime-status.ts";
import { takeLock } from "./directory-lock.ts";
import { connectLocally } from "./local-port.ts";
import { attach } from "./process-attach.ts";
import { exec, execSync } from "./process-exec.ts";
import { ProcessPods } from "./process-pods.ts";
import type { ProcessRuntimeOptions } from "./process-runtime-options.ts";
import { processStats } from "./process-stats.ts";

/** With what an earlier one has left running. @throws RuntimeError when another one that runs has the directory */
export async function openProcessRuntime(options: ProcessRuntimeOptions): Promise<PodRuntime> {
  const { directory, clock } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  using held = new DisposableStack();
  const lock = held.use(await takeLock(join(directory, "lock")));
  const changes = new PodChanges();
  const pods = new ProcessPods({ ...options, changed: (uid) => changes.notify(uid) });
  await pods.recover();
  held.move();
  return {
    version: async () => ({ name: "process", version: process.versions.node }),
    status: async () => ({ ready: true, networkReady: true, message: "", handlers: [] }),
    runPodSandbox: (config) => pods.runSandbox(config),
    stopPodSandbox: (id) => pods.stopSandbox(id),
    removePodSandbox: (id) => pods.removeSandbox(id),
    listPodSandboxes: async (_signal, podUid) => pods.sandboxes(podUid),
    createContainer: (sandboxId, config, sandbox) => pods.createContainer(sandboxId, config, sandbox),
    startContainer: (id) => pods.container(id).start(),
    stopContainer: async (id, graceSeconds, signal) => await pods.find(id)?.stop(graceSeconds, signal),
    removeContainer: (id) => pods.removeContainer(id),
    listContainers: async (_signal, podUid) => pods.containers(podUid).map(({ status }) => status),
    updateContainerResources: (id, resources) => pods.container(id).resize(resources),
    reopenContainerLog: async (id) => pods.container(id).output.reopen(),
    events: (signal) => changes.watch(signal),
    execSync: async (id, command, timeoutSeconds, signal) => await execSync(pods.container(id), { command, timeoutSeconds }, clock, signal),
    exec: async (id, request, signal) => await exec(pods.container(id), request, signal),
    attach: async (id, request, signal) => await attach(pods.container(id), request, signal),
    portForward: (_sandboxId, port, signal) => connectLocally(port, signal),
    logs: ({ id, logPath }, logOptions, signal) =>
      readCriLogs(logPath, logOptions, signal, { clock, isRunning: () => pods.find(id)?.isRunning === true }),
    imagesAreNames: true,
    imageVolumes: async () => ({ images: "image volumes need a container runtime: here images are names without contents" }),
    pullImage: async (image) => image,
    imageStatus: async (image) => imageNamed(image),
    listImages: async () => [...new Set(pods.containers().map(({ status }) => status.imageRef))].map(imageNamed),
    removeImage: async () => undefined,
    async imageFileSystem() {
      const { bsize, blocks, bfree } = await statfs(directory);
      return { usedBytes: (blocks - bfree) * bsize, capacityBytes: blocks * bsize, imageBytes: 0, path: directory };
    },
    stats: () => processStats(pods.containers(), pods.sandboxes(), clock.now()),
    async [Symbol.asyncDispose]() {
      for (const container of pods.containers()) container.letGo();
      lock[Symbol.dispose]();
    },
  };
}

/** A name and nothing more; who runs it is who started this. */
const imageNamed = (image: string): ImageInfo => ({
  id: image,
  tags: [image],
  digests: [],
  sizeBytes: 0,
  pinned: true,
  uid: process.getuid?.(),
  username: "",
});
