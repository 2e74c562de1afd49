/** The volumes of a node's Pods. */
import { readdir, rm } from "node:fs/promises";
import type { Client, EventRecorder } from "@coxswain/client";
import type { Timer } from "@coxswain/machinery";
import type { TokenManager } from "../object-managers/token-manager.ts";
import type { SecretAndConfigMapManager } from "../object-managers/watch-based-manager.ts";
import type { Pod } from "../pod/pod.ts";
import { podDirectories, podsDirectory } from "../pod/pod-directories.ts";
import { SyncError } from "../pod/sync-error.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { MadeVolume, VolumeMaker } from "./made-volume.ts";
import { makeVolume, VolumeProblem } from "./make-volume.ts";
import type { MountedVolumes } from "./mounted-volumes.ts";
import type { Mounter } from "./mounter.ts";
import type { PayloadSources } from "./payload.ts";
import { standingVolume } from "./show-payload.ts";
import { type UsedVolume, usedVolumes } from "./used-volumes.ts";

/** Where volumes are, and what they are made from. Paths are absolute. */
export interface VolumeManagerOptions {
  readonly rootDir: string;
  /** Reads claims and volumes. */
  readonly client: Client;
  readonly objects: SecretAndConfigMapManager;
  readonly tokens: TokenManager;
  /** Called with what prevents the update of a volume that is mounted already. */
  readonly events: Pick<EventRecorder, "record">;
  /** What the node has for Pods. */
  readonly allocatable: () => Readonly<Record<string, string>>;
  /** Called when `mount` should be called again: the content of a volume has changed, or expires. */
  readonly changed: (podUid: string) => void;
  /** Undefined where this process may not mount: then what should be in memory is on disk. */
  readonly mounter: Mounter | undefined;
  /** Whether containers are real, and need to find something in their volumes. Default: true. */
  readonly writesFiles?: boolean;
  /** What the runtime cannot mount of images. Default: it can mount all. */
  readonly imageVolumes?: PodRuntime["imageVolumes"];
}

/** Mounts and unmounts what the Pods of a node have as volumes. */
export interface VolumeManager {
  /**
   * Makes all volumes of the Pod, or brings them up to date: what they show has changed, or a file is to be projected again.
   * Idempotent. @throws SyncError with what cannot be mounted, of which FailedMount events are recorded by the caller
   */
  mount(pod: Pod, signal: AbortSignal): Promise<MountedVolumes>;
  /** After the last container has ended: unmounts and deletes what was the Pod's alone. */
  unmount(podUid: string, signal: AbortSignal): Promise<void>;
  /** Uids of Pods that still have something on this node: after a restart. */
  present(): Promise<readonly string[]>;
}

interface Held {
  readonly made: Map<string, MadeVolume>;
  /** What was last reported of a volume that is out of date. */
  readonly recorded: Map<string, string>;
  renewal?: Timer;
}

const podKind = { group: "", version: "v1", kind: "Pod" };

/**
 * Makes a volume manager; it watches nothing until a Pod is mounted.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/
 */
export const createVolumeManager = (options: VolumeManagerOptions): VolumeManager & Disposable => new NodeVolumeManager(options);

class NodeVolumeManager implements VolumeManager, Disposable {
  readonly #options: VolumeManagerOptions;
  readonly #maker: VolumeMaker;
  readonly #pods = new Map<string, Held>();

  constructor(options: VolumeManagerOptions) {
    const { rootDir, client, mounter, writesFiles = true, imageVolumes = async () => ({}) } = options;
    this.#options = options;
    this.#maker = { rootDir, client, mounter, writesFiles, imageVolumes };
  }

  async mount(pod: Pod, signal: AbortSignal): Promise<MountedVolumes> {
    const uid = pod.metadata?.uid ?? "";
    const { objects, tokens, allocatable, changed } = this.#options;
    objects.registerPod(pod, () => changed(uid));
    const held = this.#pods.get(uid) ?? { made: new Map<string, MadeVolume>(), recorded: new Map<string, string>() };
    this.#pods.set(uid, held);
    const used = usedVolumes(pod);
    const sources: PayloadSources = { objects, tokens, allocatable, signal };
    const problems = await this.#makeAll(pod, used, held, sources);
    this.#renew(uid, held);
    if (problems.length > 0) throw syncErrorOf(problems);
    return new Map(
      used.flatMap(({ volume: { name } }) => {
        const made = held.made.get(name);
        return made === undefined ? [] : [[name, made.mounted] as const];
      }),
    );
  }

  async unmount(podUid: string, signal: AbortSignal): Promise<void> {
    const { objects, tokens, mounter, rootDir } = this.#options;
    this.#forget(podUid);
    objects.unregisterPod(podUid);
    tokens.deleteServiceAccountTokens(podUid);
    if (!this.#maker.writesFiles) return;
    const { root } = podDirectories(rootDir, podUid);
    for (const point of (await mounter?.mountsBelow(root)) ?? []) {
      signal.throwIfAborted();
      await mounter?.unmount(point);
    }
    const left = (await mounter?.mountsBelow(root)) ?? [];
    // Deleting through a mount would delete what is not the Pod's alone.
    if (left.length > 0) throw new Error(`something is still mounted at ${left.join(", ")}`);
    await rm(root, { recursive: true, force: true });
  }

  async present(): Promise<readonly string[]> {
    return this.#maker.writesFiles ? await readdir(podsDirectory(this.#options.rootDir)).catch(() => []) : [];
  }

  /** What is mounted stays: containers go on without their kubelet. */
  [Symbol.dispose](): void {
    for (const uid of [...this.#pods.keys()]) {
      this.#forget(uid);
      this.#options.objects.unregisterPod(uid);
    }
  }

  async #makeAll(pod: Pod, used: readonly UsedVolume[], held: Held, sources: PayloadSources): Promise<readonly Problem[]> {
    const problems: Problem[] = [];
    const makeOne = async (one: UsedVolume): Promise<void> => {
      const { name } = one.volume;
      try {
        held.made.set(name, await makeVolume(this.#maker, { pod, used: one, before: held.made.get(name) }, sources));
        held.recorded.delete(name);
      } catch (error) {
        sources.signal.throwIfAborted();
        const problem = error instanceof VolumeProblem ? error : new VolumeProblem(false, String(error), error);
        if (!(await this.#stands(pod, one, held, problem))) problems.push({ name, problem });
      }
    };
    await Promise.all(used.map(makeOne));
    return problems;
  }

  /** Containers that have the volume go on with what it shows. */
  async #stands(pod: Pod, { volume }: UsedVolume, { made, recorded }: Held, { message }: VolumeProblem): Promise<boolean> {
    const standing = made.get(volume.name) ?? (await standingVolume(this.#maker, pod, volume));
    if (standing === undefined) return false;
    made.set(volume.name, standing);
    if (recorded.get(volume.name) !== message)
      this.#options.events.record(pod, { type: "Warning", reason: "FailedMount", message }, podKind);
    recorded.set(volume.name, message);
    return true;
  }

  /** Asks to be called again when the first token grows old. */
  #renew(uid: string, held: Held): void {
    const { clock } = this.#options.client;
    held.renewal?.[Symbol.dispose]();
    delete held.renewal;
    const at = Math.min(...Array.from(held.made.values(), ({ renewAt }) => renewAt));
    if (!Number.isFinite(at) || this.#pods.get(uid) !== held) return;
    held.renewal = clock.schedule(Math.max(0, at - clock.now()), () => this.#options.changed(uid));
    held.renewal.unref();
  }

  #forget(uid: string): void {
    this.#pods.get(uid)?.renewal?.[Symbol.dispose]();
    this.#pods.delete(uid);
  }
}

interface Problem {
  readonly name: string;
  readonly problem: VolumeProblem;
}

/** One is reported; the others are its causes. */
function syncErrorOf(problems: readonly Problem[]): SyncError {
  const [first] = problems;
  const early = problems.filter(({ problem }) => problem.early);
  const cause = new AggregateError(problems.map(({ problem }) => problem));
  if (early.length === 0) return new SyncError("FailedMount", first?.problem.message ?? "", { cause });
  const names = (some: readonly Problem[]): string =>
    `[${some
      .map(({ name }) => name)
      .sort()
      .join(" ")}]`;
  const why = early.map(({ problem }) => problem.message).join("; ");
  const what = `unmounted volumes=${names(problems)}, unattached volumes=[], failed to process volumes=${names(early)}`;
  return new SyncError("FailedMount", `Unable to attach or mount volumes: ${what}: ${why}`, { cause });
}
