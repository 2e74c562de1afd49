/** Splits a stream of bytes into lines, wherever its chunks begin and end. */
import { joined } from "../rest/joined.ts";

/** No object comes near it: what is longer is no watch. */
export const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/**
 * The lines that each chunk completes, without empty ones. What follows the last line break counts as a line.
 * @throws RangeError when a line is longer than `longest`
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes = maxLineBytes): AsyncGenerator<readonly Uint8Array[]> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end));
      lines.push(joined(parts));
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxBytes) throw new RangeError(`a line of more than ${maxBytes} bytes`);
    const completed = lines.filter(isNotBlank);
    if (completed.length > 0) yield completed;
  }
  const rest = joined(parts);
  if (isNotBlank(rest)) yield [rest];
}

const isNotBlank = (line: Uint8Array): boolean => line.some((byte) => byte !== 0x20 && byte !== 0x0d && byte !== 0x09);
