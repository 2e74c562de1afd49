/** Files that a container can make or put something else in the place of. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A pipe without a writer must not hold up the process, nor a terminal become its own, nor a link lead elsewhere. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/** Opens a regular file for reading. @throws Error for a link, a pipe, a device, a socket, a directory, and what is not there */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, flags);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** All of a regular file. @throws Error as `openRegular`, and for one that is larger */
export async function readRegular(path: string, maxBytes: number): Promise<string> {
  await using file = await openRegular(path);
  const { size } = await file.stat();
  if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.toString("utf8", 0, bytesRead);
}
