/**
 * Keeps the logs of running containers small: the file is renamed and reopened, older ones are packed or deleted.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation
 */
import { createWriteStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Clock, sleep } from "@coxswain/machinery";
import { openRegular } from "../files/open-regular.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

/** Whose logs are rotated, how large in bytes they may grow, and how many stay. */
export interface LogRotationOptions {
  readonly runtime: Pick<PodRuntime, "listContainers" | "reopenContainerLog">;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  /** Default: 10 MiB. */
  readonly maxBytes?: number;
  /** Of each container, with the one that is written. At least 2. Default: 5. */
  readonly maxFiles?: number;
  /** Default: 10,000. */
  readonly everyMs?: number;
}

/**
 * Log rotation keeps the logs of containers from growing without bound.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation
 */
export interface LogRotation {
  /** Looks again and again until aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Looks at all running containers once. */
  rotate(signal: AbortSignal): Promise<void>;
}

const packed = ".gz";
const unfinished = ".tmp";

/** Makes what rotates the logs of containers every ten seconds once it runs. */
export function createLogRotation(options: LogRotationOptions): LogRotation {
  const { runtime, clock, log, maxBytes = 10 * 1024 * 1024, maxFiles = 5, everyMs = 10_000 } = options;

  async function rotate(signal: AbortSignal): Promise<void> {
    for (const container of await runtime.listContainers(signal)) {
      if (signal.aborted) return;
      if (container.state !== "running" || container.logPath === "") continue;
      try {
        await rotateOne(container, signal);
      } catch (error) {
        log.warn({ error, container: container.id, path: container.logPath }, "failed to rotate the log of a container");
      }
    }
  }

  async function rotateOne({ id, logPath }: ContainerStatus, signal: AbortSignal): Promise<void> {
    const found = await stat(logPath).catch(() => undefined);
    // An earlier rotation may have ended between the move and the new beginning.
    if (found === undefined) return await runtime.reopenContainerLog(id, signal);
    if (found.size < maxBytes) return;
    const kept = await removeExcess(await removeUnused(await rotatedLogs(logPath)), maxFiles - 2);
    for (const one of kept) if (!one.endsWith(packed)) await pack(one);
    const moved = `${logPath}.${stamp(clock.now())}`;
    await rename(logPath, moved);
    try {
      await runtime.reopenContainerLog(id, signal);
    } catch (error) {
      await rename(moved, logPath);
      throw error;
    }
  }

  return {
    rotate,
    async run(signal) {
      while (!signal.aborted) {
        await rotate(signal).catch((error) => {
          if (!signal.aborted) log.warn({ error }, "failed to list the logs of containers");
        });
        await sleep(clock, everyMs, signal).catch(() => undefined);
      }
    },
  };
}

/** Deletes the log of a container that is gone, with what was rotated away. */
export async function removeLogs(logPath: string): Promise<void> {
  for (const path of [logPath, ...(await rotatedLogs(logPath))]) await rm(path, { force: true });
}

/** Oldest first: their names end in times. */
async function rotatedLogs(logPath: string): Promise<readonly string[]> {
  const directory = dirname(logPath);
  const names = await readdir(directory).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(logPath)}.`))
    .sort()
    .map((name) => join(directory, name));
}

/** What a rotation left that did not come to its end. */
async function removeUnused(paths: readonly string[]): Promise<readonly string[]> {
  const used: string[] = [];
  for (const path of paths) {
    if (path.endsWith(unfinished) || paths.includes(path + packed)) await rm(path, { force: true });
    else used.push(path);
  }
  return used;
}

async function removeExcess(paths: readonly string[], most: number): Promise<readonly string[]> {
  const excess = Math.max(0, paths.length - Math.max(0, most));
  for (const path of paths.slice(0, excess)) await rm(path, { force: true });
  return paths.slice(excess);
}

async function pack(path: string): Promise<void> {
  const half = path + unfinished;
  try {
    await using log = await openRegular(path);
    await pipeline(log.createReadStream({ autoClose: false }), createGzip(), createWriteStream(half, { mode: 0o640 }));
    await rename(half, path + packed);
  } finally {
    await rm(half, { force: true });
  }
  await rm(path);
}

/** As in `20260102-030405`, UTC. */
const stamp = (now: number): string =>
  new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replaceAll(/[-:]/g, "")
    .replace("T", "-");
