/**
 * A runtime in which nothing runs: what becomes of containers is decided by the annotations of their Pods or by a function for
 * each image (`annotations.ts`, `script.ts`), probes are answered by it, and time is the clock's, so that thousands of
 * nodes have room in one process and a test need not wait.
 */
import type { Clock } from "@coxswain/machinery";
import { type Dial, joinHostPort } from "../probe/dial.ts";
import { PodChanges } from "../runtime/pod-changes.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { Container } from "./container.ts";
import { NodeImages } from "./images.ts";
import { output } from "./output.ts";
import { podAddresses } from "./pod-addresses.ts";
import { SimulatedPods } from "./pods.ts";
import { attach, exec, execSync } from "./run-command.ts";
import { simulatedDial } from "./simulated-dial.ts";
import { Simulation, type SimulationOptions } from "./simulation.ts";
import { statsOf } from "./stats.ts";
import { connect, duplexed } from "./web-server.ts";

/** A runtime whose containers are played: probes and connections reach them without a network. */
export interface SimulatedRuntime extends PodRuntime {
  /** Answers probes and hooks. */
  readonly dial: Dial;
}

/** What differs between the nodes of one simulation. */
export interface SimulatedNodeOptions {
  /** Whence its Pods have their addresses: one of each. Default: `10.244.0.0/16` */
  readonly podCidrs?: readonly string[];
  /** Called before each verb, for tests: it may wait, or throw what the verb then fails with. */
  readonly before?: (verb: keyof PodRuntime, about: string, signal: AbortSignal) => void | Promise<void>;
}

/** Makes a runtime that plays containers by scripts, for one node. */
export const createSimulatedRuntime = ({ podCidrs, before, ...options }: SimulationOptions & SimulatedNodeOptions): SimulatedRuntime =>
  simulatedRuntime(new Simulation(options), {
    ...(podCidrs === undefined ? {} : { podCidrs }),
    ...(before === undefined ? {} : { before }),
  });

const isListening = ({ health }: Container): boolean => health === "well" || health === "unwell";

/** One of many that share what they can. */
export function simulatedRuntime(simulation: Simulation, { podCidrs = ["10.244.0.0/16"], before }: SimulatedNodeOptions): SimulatedRuntime {
  const { clock } = simulation;
  const changes = new PodChanges();
  const images = new NodeImages(simulation);
  const pods = new SimulatedPods({ simulation, images, addresses: podAddresses(podCidrs), changed: (uid) => changes.notify(uid) });
  const enter = async (verb: keyof PodRuntime, about: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    await before?.(verb, about, signal);
  };
  const context: SimulatedContext = { clock, images, pods, enter };
  return {
    dial: simulatedDial((id) => pods.find(id)?.container),
    ...sandboxVerbs(context),
    ...containerVerbs(context),
    ...streamVerbs(context),
    ...imageVerbs(context),
    version: async () => ({ name: "simulated", version: "1.0.0" }),
    async status(signal) {
      await enter("status", "", signal);
      return { ready: true, networkReady: true, message: "", handlers: [] };
    },
    events: (signal) => changes.watch(signal),
    async stats(signal) {
      await enter("stats", "", signal);
      const ready = pods.sandboxes().filter((sandbox) => sandbox.ready);
      return statsOf(
        pods.all(),
        ready.map(({ id }) => id),
        clock.now(),
      );
    },
    async [Symbol.asyncDispose]() {
      for (const container of pods.all()) container.kill();
    },
  };
}

interface SimulatedContext {
  readonly clock: Clock;
  readonly images: NodeImages;
  readonly pods: SimulatedPods;
  /** What every verb does first. */
  readonly enter: (verb: keyof PodRuntime, about: string, signal: AbortSignal) => Promise<void>;
}

type SandboxVerb = "runPodSandbox" | "stopPodSandbox" | "removePodSandbox" | "listPodSandboxes";
type ContainerVerb =
  | "createContainer"
  | "startContainer"
  | "stopContainer"
  | "removeContainer"
  | "listContainers"
  | "updateContainerResources"
  | "reopenContainerLog";
type StreamVerb = "execSync" | "exec" | "attach" | "portForward" | "connect" | "logs";
type ImageVerb = "pullImage" | "imageStatus" | "listImages" | "removeImage" | "imageFileSystem";

const sandboxVerbs = ({ pods, enter }: SimulatedContext): Pick<SimulatedRuntime, SandboxVerb> => ({
  async runPodSandbox(config, signal) {
    await enter("runPodSandbox", config.pod.name, signal);
    return pods.runSandbox(config);
  },
  async stopPodSandbox(id, signal) {
    await enter("stopPodSandbox", id, signal);
    pods.stopSandbox(id);
  },
  async removePodSandbox(id, signal) {
    await enter("removePodSandbox", id, signal);
    pods.removeSandbox(id);
  },
  async listPodSandboxes(signal, podUid) {
    await enter("listPodSandboxes", podUid ?? "", signal);
    return pods.sandboxes(podUid);
  },
});

const containerVerbs = ({ pods, enter }: SimulatedContext): Pick<SimulatedRuntime, ContainerVerb> => ({
  async createContainer(sandboxId, config, sandbox, signal) {
    await enter("createContainer", config.name, signal);
    return pods.createContainer(sandboxId, config, sandbox);
  },
  async startContainer(id, signal) {
    await enter("startContainer", id, signal);
    await pods.container(id).container.start(signal);
  },
  async stopContainer(id, graceSeconds, signal) {
    await enter("stopContainer", id, signal);
    await pods.find(id)?.container.stop(graceSeconds, signal);
  },
  async removeContainer(id, signal) {
    await enter("removeContainer", id, signal);
    pods.removeContainer(id);
  },
  async listContainers(signal, podUid) {
    await enter("listContainers", podUid ?? "", signal);
    return pods.containers(podUid);
  },
  async updateContainerResources(id, resources, signal) {
    await enter("updateContainerResources", id, signal);
    pods.container(id).container.resize(resources);
  },
  async reopenContainerLog() {},
});

const streamVerbs = ({ clock, pods, enter }: SimulatedContext): Pick<SimulatedRuntime, StreamVerb> => ({
  async execSync(id, command, timeoutSeconds, signal) {
    await enter("execSync", id, signal);
    return await execSync(pods.container(id), { command, timeoutSeconds }, clock, signal);
  },
  async exec(id, request, signal) {
    await enter("exec", id, signal);
    return exec(pods.container(id), request, clock, signal);
  },
  async attach(id, request, signal) {
    await enter("attach", id, signal);
    return attach(pods.container(id), request, clock, signal);
  },
  async portForward(sandboxId, port, signal) {
    await enter("portForward", sandboxId, signal);
    const [container] = pods.sandbox(sandboxId).containers.filter(isListening);
    if (container === undefined) throw new RuntimeError("refused", `dial tcp4 127.0.0.1:${port}: connect: connection refused`);
    return duplexed(connect(port, container));
  },
  async connect(sandboxId, port, signal) {
    await enter("connect", sandboxId, signal);
    const { containers, status } = pods.sandbox(sandboxId);
    const container = containers.find((one) => isListening(one) && one.script.http !== undefined);
    const address = joinHostPort(status.ips[0] ?? "127.0.0.1", port);
    if (container === undefined) throw new RuntimeError("refused", `dial tcp ${address}: connect: connection refused`);
    return connect(port, container);
  },
  logs: (container, options, signal) => output(pods.container(container.id).container, options, signal),
});

const imageVerbs = ({ images, enter }: SimulatedContext): Pick<SimulatedRuntime, ImageVerb> => ({
  async pullImage(image, _auth, sandbox, signal) {
    await enter("pullImage", image, signal);
    return await images.pull(image, sandbox, signal);
  },
  async imageStatus(image, signal) {
    await enter("imageStatus", image, signal);
    return images.find(image);
  },
  async listImages(signal) {
    await enter("listImages", "", signal);
    return images.list();
  },
  async removeImage(id, signal) {
    await enter("removeImage", id, signal);
    images.remove(id);
  },
  async imageFileSystem() {
    const usedBytes = images.list().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return { usedBytes, capacityBytes: 2 ** 40, path: "/simulated/images" };
  },
});
