/** A PodRuntime that is a container runtime behind a socket: containerd, CRI-O, … Each verb is one call or a few of its own. */
import { statfs } from "node:fs/promises";
import type { Clock } from "@coxswain/machinery";
import { readCriLogs } from "../logs/read-cri-logs.ts";
import type { ImageFileSystem, PodRuntime } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { cgroupParents } from "./cgroup-parents.ts";
import { type CriConnection, connectCri } from "./cri-connection.ts";
import type { CriRuntimeOptions } from "./cri-runtime-options.ts";
import { containerEvents } from "./events.ts";
import { toImageInfo, toRuntimeStatus } from "./from-cri.ts";
import { descriptionOf, isKind } from "./grpc-status.ts";
import { imageVolumeProblems } from "./image-volumes.ts";
import { type Listing, listing } from "./listing.ts";
import { SandboxTurns } from "./sandbox-turns.ts";
import { statsReader } from "./stats.ts";
import { attachTo, execIn, forwardPort } from "./terminals.ts";
import { toContainerConfig, toResources, toSandboxConfig } from "./to-cri.ts";

/** As the original kubelet's `runtimeRequestTimeout`. */
const defaultTimeoutMs = 120_000;

export function criRuntime({ socket, clock, timeoutMs = defaultTimeoutMs }: CriRuntimeOptions): PodRuntime {
  const connection = connectCri(socket, { clock, timeoutMs });
  const parents = cgroupParents(connection, clock);
  const lists = listing(connection, clock);
  const turns = new SandboxTurns();
  const context: CriContext = { connection, parents, lists, turns, clock, timeoutMs };
  const version: PodRuntime["version"] = async (signal) => {
    const { runtimeName, runtimeVersion } = await connection.call("Version", { version: "v1" }, { signal });
    return { name: runtimeName, version: runtimeVersion };
  };
  return {
    ...lists,
    ...sandboxVerbs(context),
    ...containerVerbs(context),
    ...streamVerbs(context),
    ...imageVerbs(context),
    version,
    imageVolumes: async (signal) => imageVolumeProblems(await version(signal)),
    async status(signal) {
      return toRuntimeStatus(await connection.call("Status", { verbose: false }, { signal }));
    },
    events: (signal) => containerEvents(connection, signal),
    stats: statsReader(connection, turns, clock),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  };
}

interface CriContext {
  readonly connection: CriConnection;
  readonly parents: ReturnType<typeof cgroupParents>;
  readonly lists: Listing;
  readonly turns: SandboxTurns;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

type SandboxVerb = "runPodSandbox" | "stopPodSandbox" | "removePodSandbox";
type ContainerVerb =
  | "createContainer"
  | "startContainer"
  | "stopContainer"
  | "removeContainer"
  | "reopenContainerLog"
  | "updateContainerResources";
type StreamVerb = "execSync" | "exec" | "attach" | "portForward" | "logs";
type ImageVerb = "pullImage" | "imageStatus" | "listImages" | "removeImage" | "imageFileSystem";

const sandboxVerbs = ({ connection, parents, turns, timeoutMs }: CriContext): Pick<PodRuntime, SandboxVerb> => ({
  async runPodSandbox(config, signal) {
    const request = {
      config: toSandboxConfig(config, await parents.named(config.cgroupParent, signal)),
      runtimeHandler: config.runtimeHandler,
    };
    return await parents.around(async () => {
      const run = () => connection.call("RunPodSandbox", request, { signal, timeoutMs: 2 * timeoutMs });
      const { podSandboxId } = await turns.change(run);
      if (podSandboxId === "") throw new RuntimeError("unknown", `PodSandboxId is not set for sandbox "${config.pod.name}"`);
      return podSandboxId;
    }, signal);
  },
  async stopPodSandbox(id, signal) {
    await parents.remember(id, signal);
    await fineWhenGone(connection.call("StopPodSandbox", { podSandboxId: id }, { signal }));
  },
  async removePodSandbox(id, signal) {
    await parents.remember(id, signal);
    await fineWhenGone(turns.change(() => connection.call("RemovePodSandbox", { podSandboxId: id }, { signal })));
    await parents.remove(id);
  },
});

const containerVerbs = ({ connection, parents, lists, timeoutMs }: CriContext): Pick<PodRuntime, ContainerVerb> => ({
  async createContainer(sandboxId, config, sandbox, signal) {
    const { containerId } = await connection.call(
      "CreateContainer",
      {
        podSandboxId: sandboxId,
        config: toContainerConfig(config, sandbox),
        sandboxConfig: toSandboxConfig(sandbox, await parents.named(sandbox.cgroupParent, signal)),
      },
      { signal },
    );
    if (containerId === "") throw new RuntimeError("unknown", `ContainerId is not set for container "${config.name}"`);
    return containerId;
  },
  async startContainer(id, signal) {
    await connection.call("StartContainer", { containerId: id }, { signal });
  },
  async stopContainer(id, graceSeconds, signal) {
    const limit = timeoutMs + graceSeconds * 1_000;
    await fineWhenGone(connection.call("StopContainer", { containerId: id, timeout: graceSeconds }, { signal, timeoutMs: limit }));
  },
  async removeContainer(id, signal) {
    await fineWhenGone(connection.call("RemoveContainer", { containerId: id }, { signal }));
  },
  async reopenContainerLog(id, signal) {
    await connection.call("ReopenContainerLog", { containerId: id }, { signal });
  },
  async updateContainerResources(id, resources, signal) {
    await connection.call("UpdateContainerResources", { containerId: id, linux: toResources(resources) }, { signal });
    lists.forgetContainer(id);
  },
});

const streamVerbs = ({ connection, lists, clock, timeoutMs }: CriContext): Pick<PodRuntime, StreamVerb> => ({
  async execSync(id, command, timeoutSeconds, signal) {
    const limit = timeoutSeconds === 0 ? 0 : timeoutMs + timeoutSeconds * 1_000;
    try {
      const request = { containerId: id, cmd: command, timeout: timeoutSeconds };
      return await connection.call("ExecSync", request, { signal, timeoutMs: limit });
    } catch (error) {
      if (!isKind(error, "timeout")) throw error;
      const text = `command timed out: ${JSON.stringify(command.join(" "))} timed out after ${timeoutSeconds}s`;
      throw new RuntimeError("timeout", text, { cause: error });
    }
  },
  exec: (id, request, signal) => execIn(connection, id, request, signal),
  attach: (id, request, signal) => attachTo(connection, id, request, signal),
  portForward: (sandboxId, port, signal) => forwardPort(connection, sandboxId, port, signal),
  logs: (container, options, signal) =>
    readCriLogs(container.logPath, options, signal, { clock, isRunning: (asked) => lists.isRunning(container.id, asked) }),
});

const imageVerbs = ({ connection, parents }: CriContext): Pick<PodRuntime, ImageVerb> => ({
  async pullImage(image, auth, sandbox, signal) {
    const sandboxConfig = toSandboxConfig(sandbox, await parents.named(sandbox.cgroupParent, signal));
    const request = { image: { image, runtimeHandler: sandbox.runtimeHandler }, ...(auth === undefined ? {} : { auth }), sandboxConfig };
    try {
      const { imageRef } = await connection.call("PullImage", request, { signal, timeoutMs: 0 });
      if (imageRef === "") throw new RuntimeError("unknown", `imageRef of image ${JSON.stringify(image)} is not set`);
      return imageRef;
    } catch (error) {
      // The code says nothing then, and the text is shown to people.
      throw isKind(error, "unknown") ? new RuntimeError("unknown", descriptionOf(error), { cause: error }) : error;
    }
  },
  async imageStatus(image, signal) {
    const found = (await connection.call("ImageStatus", { image: { image } }, { signal })).image;
    return found === null ? undefined : toImageInfo(found);
  },
  async listImages(signal) {
    return (await connection.call("ListImages", {}, { signal })).images.map(toImageInfo);
  },
  async removeImage(id, signal) {
    await connection.call("RemoveImage", { image: { image: id } }, { signal });
  },
  imageFileSystem: (signal) => imageFileSystem(connection, signal),
});

async function imageFileSystem(connection: CriConnection, signal: AbortSignal): Promise<ImageFileSystem> {
  const { imageFilesystems } = await connection.call("ImageFsInfo", {}, { signal });
  const [first] = imageFilesystems;
  const path = first?.fsId?.mountpoint;
  if (path === undefined) throw new RuntimeError("unknown", "the runtime tells no file system of images");
  const { blocks, bavail, bsize } = await statfs(path);
  return { path, capacityBytes: blocks * bsize, usedBytes: (blocks - bavail) * bsize, imageBytes: first?.usedBytes?.value ?? 0 };
}

async function fineWhenGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isKind(error, "notFound")) throw error;
  }
}
