/** Deletes files of containers and Pods that the runtime no longer has: logs, and last messages. */
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, sleep } from "@coxswain/machinery";
import { podDirectories, podsDirectory, podUidOfLogDirectory } from "../pod/pod-directories.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

/** Where directories stand, and which Pods are known. */
export interface DirectoryCleanupOptions {
  readonly runtime: Pick<PodRuntime, "listContainers">;
  readonly clock: Clock;
  readonly rootDir: string;
  readonly logsDir: string;
  /** Whether a Pod of this uid still exists, or may exist. */
  readonly isKnown: (podUid: string) => boolean;
  readonly log: { warn(fields: object, message: string): void };
}

/** Deletes what containers have left in directories that belong to no container any more. */
export interface DirectoryCleanup {
  /** Looks again and again until aborted. */
  run(signal: AbortSignal): Promise<void>;
  collect(signal: AbortSignal): Promise<void>;
}

const everyMs = 60_000;
/** What is younger may belong to a container that is just being made. */
const minAgeMs = 10 * 60_000;

/** Makes what deletes logs and termination messages of containers that are gone, each minute once it runs. */
export function createDirectoryCleanup(options: DirectoryCleanupOptions): DirectoryCleanup {
  const { runtime, clock, log } = options;

  async function collect(signal: AbortSignal): Promise<void> {
    const containers = await runtime.listContainers(signal);
    await collectLogs(options, containers);
    await collectMessages(options, containers);
  }

  return {
    collect,
    async run(signal) {
      while (!signal.aborted) {
        await sleep(clock, everyMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        await collect(signal).catch((error) => {
          if (!signal.aborted) log.warn({ error }, "failed to delete what containers have left");
        });
      }
    },
  };
}

async function collectLogs({ clock, logsDir, isKnown }: DirectoryCleanupOptions, containers: readonly ContainerStatus[]): Promise<void> {
  const oldest = oldestAttempts(containers);
  const present = new Set(containers.map(({ pod }) => pod.uid));
  for (const name of await namesIn(logsDir)) {
    const uid = podUidOfLogDirectory(name);
    const directory = join(logsDir, name);
    if (isKnown(uid)) await collectAttempts(directory, oldest);
    else if (!present.has(uid) && (await isOld(directory, clock))) await rm(directory, { recursive: true, force: true });
  }
}

/** Of each container the first attempt that the runtime still has, by the directory of its logs. */
function oldestAttempts(containers: readonly ContainerStatus[]): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const { logPath, attempt } of containers) {
    if (logPath === "") continue;
    const directory = dirname(logPath);
    oldest.set(directory, Math.min(attempt, oldest.get(directory) ?? attempt));
  }
  return oldest;
}

/** Attempts are counted upwards: what comes before the first that is there is gone. */
async function collectAttempts(podDirectory: string, oldest: ReadonlyMap<string, number>): Promise<void> {
  for (const container of await namesIn(podDirectory)) {
    const directory = join(podDirectory, container);
    const first = oldest.get(directory);
    if (first === undefined) continue;
    for (const file of await namesIn(directory)) {
      const attempt = /^(\d+)\.log(\..*)?$/.exec(file)?.[1];
      if (attempt !== undefined && Number(attempt) < first) await rm(join(directory, file), { force: true });
    }
  }
}

async function collectMessages({ clock, rootDir }: DirectoryCleanupOptions, containers: readonly ContainerStatus[]): Promise<void> {
  const mounted = new Set(containers.flatMap(({ mounts }) => mounts.map(({ hostPath }) => hostPath)));
  for (const uid of await namesIn(podsDirectory(rootDir))) {
    const all = join(podDirectories(rootDir, uid).root, "containers");
    for (const container of await namesIn(all)) {
      for (const file of await namesIn(join(all, container))) {
        const path = join(all, container, file);
        if (!mounted.has(path) && (await isOld(path, clock))) await rm(path, { force: true });
      }
    }
  }
}

async function isOld(path: string, clock: Clock): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && clock.now() - found.mtimeMs > minAgeMs;
}

const namesIn = async (directory: string): Promise<readonly string[]> => await readdir(directory).catch(() => []);
