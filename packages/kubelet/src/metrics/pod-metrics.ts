/** What a kubelet counts of its Pods, under the names that kubelets have for it. */
import type { Counter, MetricsRegistry } from "@coxswain/client";
import { DisposableStack } from "@coxswain/machinery";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

type ContainerKind = "container" | "init_container" | "ephemeral_container";

export interface PodMetrics {
  startedPod(): void;
  podFailed(): void;
  startedContainer(kind: ContainerKind): void;
  /** `code`: as the container's status says why it waits. */
  containerFailed(kind: ContainerKind, code: string): void;
  rejected(reason: string): void;
  requestedImageVolumes(count: number): void;
  mountedImageVolume(succeeded: boolean): void;
}

export function podMetrics(registry: MetricsRegistry): PodMetrics {
  const startedPods = registry.counter("kubelet_started_pods_total", "Cumulative number of pods started");
  const failedPods = registry.counter("kubelet_started_pods_errors_total", "Cumulative number of errors when starting pods");
  const started = (container_type: ContainerKind): Counter =>
    registry.counter("kubelet_started_containers_total", "Cumulative number of containers started", { container_type });
  const failed = (container_type: ContainerKind, code: string): Counter =>
    registry.counter("kubelet_started_containers_errors_total", "Cumulative number of errors when starting containers", {
      container_type,
      code,
    });
  const rejections = (reason: string): Counter =>
    registry.counter("kubelet_admission_rejections_total", "Cumulative number pod admission rejections by the Kubelet.", { reason });
  const requested = registry.counter("kubelet_image_volume_requested_total", "Number of requested image volumes.");
  const mounted = registry.counter("kubelet_image_volume_mounted_succeed_total", "Number of successful image volume mounts.");
  const unmounted = registry.counter("kubelet_image_volume_mounted_errors_total", "Number of failed image volume mounts.");
  return {
    startedPod: () => startedPods.add(),
    podFailed: () => failedPods.add(),
    startedContainer: (kind) => started(kind).add(),
    containerFailed: (kind, code) => failed(kind, code).add(),
    rejected: (reason) => rejections(reason).add(),
    requestedImageVolumes: (count) => requested.add(count),
    mountedImageVolume: (succeeded) => (succeeded ? mounted : unmounted).add(),
  };
}

const states = ["created", "running", "exited", "unknown"] as const;

/** The present values are read at each scrape. */
export function gaugePods(registry: MetricsRegistry, containers: () => Iterable<readonly ContainerStatus[]>): Disposable {
  const stack = new DisposableStack();
  const count = (matches: (status: ContainerStatus) => boolean): number => {
    let sum = 0;
    for (const ofPod of containers()) for (const one of ofPod) if (matches(one)) sum++;
    return sum;
  };
  stack.use(
    registry.gaugeOf("kubelet_running_pods", "Number of pods that have a running pod sandbox", {}, () => {
      let sum = 0;
      for (const ofPod of containers()) if (ofPod.some(({ state }) => state === "running")) sum++;
      return sum;
    }),
  );
  for (const container_state of states) {
    const help = "Number of containers currently running";
    stack.use(
      registry.gaugeOf("kubelet_running_containers", help, { container_state }, () => count(({ state }) => state === container_state)),
    );
  }
  return stack;
}
