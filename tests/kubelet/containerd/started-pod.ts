/** A sandbox with one container in it, as a test of the runtime alone needs it. */
import { setTimeout as delay } from "node:timers/promises";
import type { ContainerConfig, ContainerStatus, SandboxConfig } from "@coxswain/kubelet";
import { containerConfig, sandboxConfig } from "./configs.ts";
import type { Containerd } from "./containerd.ts";

export interface StartedPod {
  readonly sandbox: SandboxConfig;
  readonly sandboxId: string;
  readonly containerId: string;
  readonly ip: string;
  status(): Promise<ContainerStatus>;
  /** Once it has ended. */
  ended(): Promise<ContainerStatus>;
}

export async function startPod(
  containerd: Containerd,
  signal: AbortSignal,
  { name = "pod", sandbox: of = {}, container: having = {} }: PodUnderTest = {},
): Promise<StartedPod> {
  const { runtime } = containerd;
  const sandbox = sandboxConfig(containerd, { uid: `uid-of-${name}`, namespace: "default", name }, of);
  const sandboxId = await runtime.runPodSandbox(sandbox, signal);
  const containerId = await runtime.createContainer(sandboxId, containerConfig(sandbox, "main", having), sandbox, signal);
  await runtime.startContainer(containerId, signal);
  const [listed] = await runtime.listPodSandboxes(signal, sandbox.pod.uid);
  return { sandbox, sandboxId, containerId, ip: listed?.ips[0] ?? "", status, ended };

  async function status(): Promise<ContainerStatus> {
    const found = (await runtime.listContainers(signal, sandbox.pod.uid)).find(({ id }) => id === containerId);
    if (found === undefined) throw new Error(`container ${containerId} is gone`);
    return found;
  }

  async function ended(): Promise<ContainerStatus> {
    for (;;) {
      const now = await status();
      if (now.state === "exited") return now;
      await delay(20, undefined, { signal });
    }
  }
}

interface PodUnderTest {
  readonly name?: string;
  readonly sandbox?: Partial<SandboxConfig>;
  readonly container?: Partial<ContainerConfig>;
}
