/** A path of the node itself. @see https://kubernetes.io/docs/concepts/storage/volumes/#hostpath */
import type { Stats } from "node:fs";
import { chmod, mkdir, open, stat } from "node:fs/promises";

/** Makes what is to be made. @throws Error in Kubernetes' words when it is something else */
export async function checkHostPath(path: string, type: string): Promise<void> {
  if (path.split("/").includes("..")) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  if (type === "") return;
  const found = await stat(path).catch(() => undefined);
  if (found === undefined && type === "DirectoryOrCreate") return await makeDirectory(path);
  if (found === undefined && type === "FileOrCreate") return await makeFile(path);
  const wanted = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (wanted === undefined) throw new Error(`${type} is an invalid volume type`);
  if (found === undefined || !wanted.is(found)) throw new Error(`hostPath type check failed: ${path} is not a ${wanted.name}`);
}

const directory = { name: "directory", is: (found: Stats) => found.isDirectory() };
const file = { name: "file", is: (found: Stats) => found.isFile() };
const kinds: Readonly<Record<string, { readonly name: string; is(found: Stats): boolean }>> = {
  __proto__: null as never,
  Directory: directory,
  DirectoryOrCreate: directory,
  File: file,
  FileOrCreate: file,
  Socket: { name: "socket file", is: (found) => found.isSocket() },
  CharDevice: { name: "character device", is: (found) => found.isCharacterDevice() },
  BlockDevice: { name: "block device", is: (found) => found.isBlockDevice() },
};

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

async function makeFile(path: string): Promise<void> {
  await (await open(path, "a")).close();
  await chmod(path, 0o644);
}
