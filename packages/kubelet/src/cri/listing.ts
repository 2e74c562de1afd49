/** What there is, with all that is known of it. */
import type { Clock } from "@coxswain/machinery";
import { podUidLabel } from "../runtime/labels.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import type { CriConnection } from "./cri-connection.ts";
import { toContainerStatus, toSandboxStatus } from "./from-cri.ts";
import { isKind } from "./grpc-status.ts";
import { KnownDetails } from "./known-details.ts";

/** A runtime may learn after a container's end why it ended: of what the kernel killed for its memory. */
const settledAfterMs = 10_000;

export interface Listing extends Pick<PodRuntime, "listPodSandboxes" | "listContainers"> {
  isRunning(containerId: string, signal: AbortSignal): Promise<boolean>;
  forgetContainer(id: string): void;
}

export function listing(connection: CriConnection, clock: Clock): Listing {
  const containers = new KnownDetails(
    async (listed: { id: string; state: string; podSandboxId: string }, signal): Promise<ContainerStatus> => {
      const { status } = await connection.call("ContainerStatus", { containerId: listed.id }, { signal });
      if (status === null) throw new RuntimeError("notFound", `container ${listed.id} has no status`);
      return toContainerStatus(status, listed.podSandboxId);
    },
    settledBy(clock),
  );
  // Its addresses stay while it is ready; an ended one has none.
  const sandboxes = new KnownDetails(
    async (listed: { id: string; state: string }, signal): Promise<SandboxStatus> => {
      const { status } = await connection.call("PodSandboxStatus", { podSandboxId: listed.id }, { signal });
      if (status === null) throw new RuntimeError("notFound", `sandbox ${listed.id} has no status`);
      return toSandboxStatus(status);
    },
    () => true,
  );
  return { listPodSandboxes, listContainers, isRunning, forgetContainer: (id) => containers.forget(id) };

  async function listPodSandboxes(signal: AbortSignal, podUid?: string): Promise<readonly SandboxStatus[]> {
    const { items } = await connection.call("ListPodSandbox", ofPod(podUid), { signal });
    return await sandboxes.of(items, podUid === undefined, signal);
  }

  async function listContainers(signal: AbortSignal, podUid?: string): Promise<readonly ContainerStatus[]> {
    const listed = await connection.call("ListContainers", ofPod(podUid), { signal });
    return await containers.of(listed.containers, podUid === undefined, signal);
  }

  async function isRunning(containerId: string, signal: AbortSignal): Promise<boolean> {
    try {
      const { status } = await connection.call("ContainerStatus", { containerId }, { signal });
      return status?.state === "CONTAINER_RUNNING";
    } catch (error) {
      if (isKind(error, "notFound")) return false;
      throw error;
    }
  }
}

function ofPod(podUid: string | undefined): { filter?: { labelSelector: Record<string, string> } } {
  return podUid === undefined ? {} : { filter: { labelSelector: { [podUidLabel]: podUid } } };
}

/** Whether what is known of it holds until its state changes. */
function settledBy(clock: Clock): (status: ContainerStatus) => boolean {
  return ({ state, finishedAt }) => state === "running" || (state === "exited" && clock.now() - finishedAt > settledAfterMs);
}
