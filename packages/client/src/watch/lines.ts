/** Splits a stream of bytes into lines, wherever its chunks begin and end. */

/** No object comes near it: what is longer is no watch. */
export const longestLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/**
 * The lines that each chunk completes, without empty ones. What follows the last line break counts as a line.
 * @throws RangeError when a line is longer than `longest`
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, longest = longestLineBytes): AsyncGenerator<readonly Uint8Array[]> {
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
    if (length > longest) throw new RangeError(`a line of more than ${longest} bytes`);
    const told = lines.filter(isTelling);
    if (told.length > 0) yield told;
  }
  const rest = joined(parts);
  if (isTelling(rest)) yield [rest];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const isTelling = (line: Uint8Array): boolean => line.some((byte) => byte !== 0x20 && byte !== 0x0d && byte !== 0x09);
