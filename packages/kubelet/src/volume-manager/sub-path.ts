/** Makes a part of a volume ready to be mounted into a container. */
import { mkdir, open, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { openInside, pathOfHandle, realPathInside } from "./inside.ts";
import type { Mounter } from "./mounter.ts";

export interface SubPath {
  readonly volumePath: string;
  readonly subPath: string;
  /** Where it is mounted for the container, where this process may mount. */
  readonly target: string;
}

/**
 * The path to mount from. What is not there is made, a directory as open as the volume.
 * @throws Error when the path leads out of the volume
 */
export async function prepareSubPath({ volumePath, subPath, target }: SubPath, mounter: Mounter | undefined): Promise<string> {
  const { mode } = await stat(volumePath);
  if (process.platform !== "linux") {
    await mkdir(join(volumePath, subPath), { recursive: true, mode });
    return await realPathInside(volumePath, subPath);
  }
  await using handle = await openInside(volumePath, subPath, mode & 0o7777);
  if (mounter === undefined) return await realPathInside(volumePath, subPath);
  const source = await handle.stat();
  if ((await mounter.mountsBelow(target)).includes(target)) {
    const mounted = await stat(target);
    if (mounted.ino === source.ino && mounted.dev === source.dev) return target;
    await mounter.unmount(target);
  }
  await makeTarget(target, source.isDirectory());
  await mounter.bind(pathOfHandle(handle), target);
  return target;
}

/** @throws Error in Kubernetes' words */
export function checkSubPath(subPath: string): void {
  if (isAbsolute(subPath)) throw new Error(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes("..")) throw new Error(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
}

async function makeTarget(target: string, directory: boolean): Promise<void> {
  await mkdir(directory ? target : dirname(target), { recursive: true, mode: 0o750 });
  if (!directory) await (await open(target, "a", 0o640)).close();
}
