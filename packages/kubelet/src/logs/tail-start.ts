/** Where the last lines of a file begin, without reading what comes before them. */
import type { FileHandle } from "node:fs/promises";

const lineFeed = 0x0a;
const blockBytes = 16 * 1024;

/** Lines are what a line feed ends; what comes after the last one belongs to the last line. */
export async function tailStart(file: FileHandle, lines: number): Promise<number> {
  const { size } = await file.stat();
  if (lines <= 0) return size;
  const block = new Uint8Array(blockBytes);
  let found = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      if (block[at] !== lineFeed) continue;
      // The one before the first of the wanted lines is one more than the lines.
      if (++found > lines) return start + at + 1;
    }
    end = start;
  }
  return 0;
}
