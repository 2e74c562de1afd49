/**
 * Deletes images that no container uses, when they take too much room.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#containers-images
 */
import { type coreV1, parseImageName } from "@coxswain/api";
import type { EventRecorder } from "@coxswain/client";
import { type Clock, messageOf, sleep } from "@coxswain/machinery";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus, ImageInfo } from "../runtime/runtime-status.ts";

/** Which runtime's images are collected, and where that is reported. */
export interface ImageGcManagerOptions {
  readonly runtime: Pick<PodRuntime, "listImages" | "listContainers" | "removeImage" | "imageFileSystem">;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record">;
  /** The Node, for events. */
  readonly node: () => coreV1.Node | undefined;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Above this some are deleted. Default: 85. */
  readonly highPercent?: number;
  /** Until it is no more than this. Default: 80. */
  readonly lowPercent?: number;
  /** No younger ones: a container may be about to use them. Default: two minutes. */
  readonly minAgeMs?: number;
  /** What was unused for so long is deleted though there is room. 0, the default: never. */
  readonly maxAgeMs?: number;
  /** Called before the images are listed, */
  readonly listing?: () => void;
  /** and then called with those that are left, by their ids. */
  readonly left?: (ids: ReadonlySet<string>) => void;
}

/**
 * Deletes images that no container uses when their disk grows full.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/#container-image-garbage-collection
 */
export interface ImageGcManager {
  /** Looks again and again until aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Deletes as much as must be. @throws Error when that was not enough */
  collect(signal: AbortSignal): Promise<void>;
  /** Deletes all that is unused. Resolves with the bytes that gave. */
  deleteUnused(signal: AbortSignal): Promise<number>;
}

interface Seen {
  readonly firstAt: number;
  readonly lastUsedAt: number;
}

type Candidate = ImageInfo & Seen;

const everyMs = 5 * 60_000;
const nodeKind = { group: "", version: "v1", kind: "Node" };

/** Makes an image garbage collector, which looks at the disk every five minutes once it runs. */
export const createImageGcManager = (options: ImageGcManagerOptions): ImageGcManager => new Garbage(options);

class Garbage implements ImageGcManager {
  readonly #options: ImageGcManagerOptions;
  readonly #begunAt: number;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(options: ImageGcManagerOptions) {
    this.#options = options;
    this.#begunAt = options.clock.now();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let failed = false;
    while (!signal.aborted) {
      try {
        await this.collect(signal);
        failed = false;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error }, "failed to free disk space by deleting images");
        // Once may be a matter of the moment.
        if (failed) this.#record("ImageGCFailed", messageOf(error));
        failed = true;
      }
      await sleep(clock, everyMs, signal).catch(() => undefined);
    }
  }

  async collect(signal: AbortSignal): Promise<void> {
    const { runtime, highPercent = 85, lowPercent = 80, clock } = this.#options;
    const now = clock.now();
    const candidates = await this.#deleteOld(await this.#candidates(now, signal), now, signal);
    const { usedBytes, capacityBytes } = await runtime.imageFileSystem(signal);
    if (capacityBytes === 0) {
      const message = "invalid capacity 0 on image filesystem";
      this.#record("InvalidDiskCapacity", message);
      throw new Error(message);
    }
    const available = Math.max(0, capacityBytes - usedBytes);
    const percent = 100 - Math.floor((available * 100) / capacityBytes);
    if (percent < highPercent) return;
    const wanted = Math.floor((capacityBytes * (100 - lowPercent)) / 100) - available;
    const freed = await this.#free(candidates, wanted, now, signal);
    if (freed >= wanted) return;
    const message = `Insufficient free disk space on the node's image filesystem (${percent}% of ${sizeText(capacityBytes)} used). Failed to free sufficient space by deleting unused images (freed ${freed} bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.`;
    this.#record("FreeDiskSpaceFailed", message);
    throw new Error(message);
  }

  async deleteUnused(signal: AbortSignal): Promise<number> {
    const now = this.#options.clock.now();
    return await this.#free(await this.#candidates(now, signal), Number.POSITIVE_INFINITY, now, signal);
  }

  /** What may go, that which was not used for longest first. */
  async #candidates(now: number, signal: AbortSignal): Promise<readonly Candidate[]> {
    const { runtime, listing, left } = this.#options;
    listing?.();
    const images = await runtime.listImages(signal);
    const isUsed = usedBy(await runtime.listContainers(signal));
    const candidates: Candidate[] = [];
    const seen = new Map<string, Seen>();
    for (const image of images) {
      const { firstAt, lastUsedAt } = this.#seen.get(image.id) ?? { firstAt: now, lastUsedAt: 0 };
      const used = isUsed(image);
      const one = { firstAt, lastUsedAt: used ? now : lastUsedAt };
      seen.set(image.id, one);
      if (!used && !image.pinned && !holdsNamespaces(image)) candidates.push({ ...image, ...one });
    }
    this.#seen = seen;
    left?.(new Set(seen.keys()));
    return candidates.sort((a, b) => a.lastUsedAt - b.lastUsedAt || a.firstAt - b.firstAt);
  }

  async #deleteOld(candidates: readonly Candidate[], now: number, signal: AbortSignal): Promise<readonly Candidate[]> {
    const { maxAgeMs = 0 } = this.#options;
    // When they were used before this kubelet started is unknown.
    if (maxAgeMs === 0 || now - this.#begunAt <= maxAgeMs) return candidates;
    const old = candidates.filter(({ lastUsedAt }) => now - lastUsedAt > maxAgeMs);
    for (const image of old) await this.#delete(image, signal);
    return candidates.filter((image) => !old.includes(image));
  }

  async #free(candidates: readonly Candidate[], wanted: number, now: number, signal: AbortSignal): Promise<number> {
    const { minAgeMs = 2 * 60_000 } = this.#options;
    const errors: string[] = [];
    let freed = 0;
    for (const image of candidates) {
      if (freed >= wanted) break;
      if (now - image.firstAt < minAgeMs) continue;
      try {
        await this.#delete(image, signal);
        freed += image.sizeBytes;
      } catch (error) {
        signal.throwIfAborted();
        errors.push(messageOf(error));
      }
    }
    if (errors.length === 0) return freed;
    const what = Number.isFinite(wanted) ? wanted : 2 ** 63 - 1;
    throw new Error(`wanted to free ${what} bytes, but freed ${freed} bytes space with errors in image deletion: ${errors.join(", ")}`);
  }

  async #delete({ id, tags, sizeBytes }: Candidate, signal: AbortSignal): Promise<void> {
    this.#options.log.info({ image: id, tags, bytes: sizeBytes }, "deleting an image that nobody uses");
    await this.#options.runtime.removeImage(id, signal);
  }

  #record(reason: string, message: string): void {
    const node = this.#options.node();
    if (node !== undefined) this.#options.events.record(node, { type: "Warning", reason, message }, nodeKind);
  }
}

/** No container says that it uses the image of sandboxes, and not every runtime has it pinned. */
const holdsNamespaces = ({ tags }: ImageInfo): boolean => tags.some((tag) => /(^|\/)pause(:|$)/.test(tag));

/** Containers name their image by its id, its digest, or as their Pod does: each counts. Those of volumes are in their mounts. */
function usedBy(containers: readonly ContainerStatus[]): (image: ImageInfo) => boolean {
  const names = new Set(containers.flatMap(({ image, imageRef }) => [image, imageRef, ...wholeName(image), ...wholeName(imageRef)]));
  for (const { mounts } of containers) for (const { image } of mounts) if (image !== undefined) names.add(image);
  return ({ id, tags, digests }) => [id, ...tags, ...digests].some((name) => names.has(name));
}

function wholeName(image: string): readonly string[] {
  const name = parseImageName(image);
  if (name === undefined) return [];
  const { repository, tag, digest } = name;
  return [...(tag === undefined ? [] : [`${repository}:${tag}`]), ...(digest === undefined ? [] : [`${repository}@${digest}`])];
}

function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
