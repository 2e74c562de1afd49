/** Converts the runtime's answers to the kubelet's types. */
import { podOfLabels } from "../runtime/labels.ts";
import type { LinuxResources, PodIdentity } from "../runtime/runtime-config.ts";
import type { ContainerStatus, ImageInfo, RuntimeStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import type { ContainerState } from "./messages/enums.ts";
import type {
  ContainerStatusMessage,
  ImageMessage,
  LinuxContainerResourcesMessage,
  PodSandboxStatusMessage,
  StatusResponseMessage,
} from "./messages/received.ts";

const states = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
} as const;
const noPod: PodIdentity = { uid: "", namespace: "", name: "" };

export function toContainerState(state: ContainerState): ContainerStatus["state"] {
  return Object.hasOwn(states, state) ? states[state] : "unknown";
}

export function toContainerStatus(message: ContainerStatusMessage, sandboxId: string): ContainerStatus {
  const { id, metadata, exitCode, reason, imageRef, logPath, labels, annotations } = message;
  const user = message.user?.linux ?? undefined;
  return {
    id,
    sandboxId,
    pod: podOfLabels(labels) ?? noPod,
    name: metadata?.name ?? "",
    attempt: metadata?.attempt ?? 0,
    state: toContainerState(message.state),
    createdAt: milliseconds(message.createdAt),
    startedAt: milliseconds(message.startedAt),
    finishedAt: milliseconds(message.finishedAt),
    exitCode,
    reason,
    message: message.message,
    image: message.image?.image ?? "",
    imageRef,
    logPath,
    labels,
    annotations,
    mounts: message.mounts.map(({ containerPath, hostPath, image }) => ({
      containerPath,
      hostPath,
      ...(image === null ? {} : { image: image.image }),
    })),
    resources: toLinuxResources(message.resources?.linux ?? undefined),
    ...(user === undefined ? {} : { user }),
  };
}

export function toSandboxStatus(message: PodSandboxStatusMessage): SandboxStatus {
  const { id, metadata, labels, annotations, network } = message;
  return {
    id,
    pod: podOfLabels(labels) ?? metadata ?? noPod,
    attempt: metadata?.attempt ?? 0,
    ready: message.state === "SANDBOX_READY",
    createdAt: milliseconds(message.createdAt),
    ips: [network?.ip ?? "", ...(network?.additionalIps.map(({ ip }) => ip) ?? [])].filter((ip) => ip !== ""),
    labels,
    annotations,
  };
}

export function toImageInfo({ id, repoTags, repoDigests, size, uid, username, pinned }: ImageMessage): ImageInfo {
  return { id, tags: repoTags, digests: repoDigests, sizeBytes: size, pinned, uid: uid?.value, username };
}

export function toRuntimeStatus({ status, runtimeHandlers, features: all }: StatusResponseMessage): RuntimeStatus {
  const conditions = status?.conditions ?? [];
  const lacking = ["RuntimeReady", "NetworkReady"].map((type) => {
    const condition = conditions.find((one) => one.type === type);
    if (condition?.status === true) return undefined;
    return `${type}=false reason:${condition?.reason ?? ""} message:${condition?.message ?? ""}`;
  });
  const [runtime, network] = lacking;
  return {
    ready: runtime === undefined,
    networkReady: network === undefined,
    message: lacking.filter((text) => text !== undefined).join(", "),
    handlers: runtimeHandlers.map(({ name, features }) => ({
      name,
      recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
      userNamespaces: features?.userNamespaces ?? false,
    })),
    ...(all === null ? {} : { supplementalGroupsPolicy: all.supplementalGroupsPolicy }),
  };
}

/** CRI counts nanoseconds since the epoch. */
export function milliseconds(nanoseconds: number): number {
  return Math.floor(nanoseconds / 1e6);
}

function toLinuxResources(message: LinuxContainerResourcesMessage | undefined): LinuxResources | undefined {
  if (message === undefined) return undefined;
  const { cpuPeriod, cpuQuota, cpuShares, memoryLimitInBytes, oomScoreAdj, cpusetCpus, cpusetMems } = message;
  return { cpuPeriod, cpuQuota, cpuShares, memoryLimitBytes: memoryLimitInBytes, oomScoreAdj, cpusetCpus, cpusetMems };
}
