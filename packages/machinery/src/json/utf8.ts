const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const replacement = "\uFFFD";

/** Each byte that is not UTF-8 becomes U+FFFD, as in Go; the platform's decoder makes one of several. */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.includes(replacement) ? decodeBroken(bytes) : text;
}

function decodeBroken(bytes: Uint8Array): string {
  const parts: string[] = [];
  let start = 0;
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    parts.push(decoder.decode(bytes.subarray(start, i)), replacement);
    start = ++i;
  }
  parts.push(decoder.decode(bytes.subarray(start)));
  return parts.join("");
}

/** Bytes of the character that starts at `i`; 0 when none does (Unicode, table 3-7). */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(i, i + 4);
  const tail = (byte: number): boolean => byte >= 0x80 && byte <= 0xbf;
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(b) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    const fits = a === 0xe0 ? b >= 0xa0 && b <= 0xbf : a === 0xed ? b >= 0x80 && b <= 0x9f : tail(b);
    return fits && tail(c) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    const fits = a === 0xf0 ? b >= 0x90 && b <= 0xbf : a === 0xf4 ? b >= 0x80 && b <= 0x8f : tail(b);
    return fits && tail(c) && tail(d) ? 4 : 0;
  }
  return 0;
}
