/**
 * The images of a Pod's volumes: pulled before its containers are made, reported by those that mount them.
 * @see https://kep.k8s.io/4639
 */
import { recordContainerEvent } from "../events/record-events.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { SyncError } from "../pod/sync-error.ts";
import type { MountedImage, SandboxConfig } from "../runtime/runtime-config.ts";
import type { SyncContext } from "./sync-context.ts";

/** By the name of the volume: its image, or why that is not here. */
export type PulledVolumes = ReadonlyMap<string, MountedImage | SyncError>;

/** One after the other, also of volumes that no container mounts. */
export async function pullVolumes(
  { dependencies: { images, runtime } }: SyncContext,
  pod: Pod,
  sandbox: SandboxConfig,
  signal: AbortSignal,
): Promise<PulledVolumes> {
  const pulled = new Map<string, MountedImage | SyncError>();
  if (runtime.imagesAreNames === true) return pulled;
  const { runtimeHandler } = sandbox;
  for (const { name, image } of pod.spec?.volumes ?? []) {
    if (image === undefined) continue;
    const { reference = "", pullPolicy } = image;
    try {
      const { ref } = await images.ensureImageExists({ pod, image: reference, pullPolicy, sandbox }, signal);
      pulled.set(name, { ref, reference, runtimeHandler, annotations: pod.metadata?.annotations ?? {} });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SyncError)) throw error;
      pulled.set(name, error);
    }
  }
  return pulled;
}

/** Of the volumes that a container mounts. @throws SyncError of the last that is not here, after an event about each */
export function mountedImages(ctx: SyncContext, pod: Pod, container: Container, pulled: PulledVolumes): ReadonlyMap<string, MountedImage> {
  const mounted = new Map<string, MountedImage>();
  let missing: SyncError | undefined;
  for (const { name } of container.volumeMounts ?? []) {
    const one = pulled.get(name);
    if (one === undefined) continue;
    if (one instanceof SyncError) {
      recordContainerEvent(ctx, pod, container, { type: "Warning", reason: "Failed", message: `Error: ${one.reason}` });
      missing = one;
    } else mounted.set(name, one);
  }
  if (missing !== undefined) throw missing;
  return mounted;
}

/** Runtimes begin their message so where it was the image that could not be mounted. */
const mountFailed = "ImageVolumeMountFailed";

/** Counts what became of a container's image volumes when it was started, or could not be. */
export function countMounts(
  { metrics }: SyncContext,
  { volumeMounts = [] }: Container,
  images: ReadonlyMap<string, MountedImage>,
  problem?: SyncError,
): void {
  if (images.size === 0) return;
  const hasFailed = problem?.reason === "CreateContainerError" && problem.message.startsWith(mountFailed);
  metrics.requestedImageVolumes(images.size);
  for (const { name } of volumeMounts) if (images.has(name)) metrics.mountedImageVolume(!hasFailed);
}
