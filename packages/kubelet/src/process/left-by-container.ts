/** Files in a container's directory, which is its user's: anything may stand in the place of what was made there. */
import { closeSync, constants, fstatSync, open } from "node:fs";
import { promisify } from "node:util";
import { openRegular } from "../files/open-regular.ts";

const openFile = promisify(open);

/** Of a number that the shim writes. */
const maxDigits = 32;

/** Its descriptor; neither links nor other files are opened. @param mode `O_RDONLY` or `O_WRONLY` @throws Error */
export async function openPipe(path: string, mode: number): Promise<number> {
  const descriptor = await openFile(path, mode | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (fstatSync(descriptor).isFIFO()) return descriptor;
  closeSync(descriptor);
  throw new Error(`${path} is not a pipe`);
}

export interface NotedNumber {
  readonly number: number;
  /** When it was written; milliseconds since the epoch. */
  readonly at: number;
}

/** A number that the shim has written; undefined where there is none, or something else. */
export async function readNumber(path: string): Promise<NotedNumber | undefined> {
  try {
    await using file = await openRegular(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxDigits), 0, maxDigits, 0);
    const text = buffer.toString("latin1", 0, bytesRead).trim();
    return /^\d+$/.test(text) ? { number: Number(text), at: (await file.stat()).mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}
