/** Blocks of PEM in a text, in time that grows with its length. @see https://www.rfc-editor.org/rfc/rfc7468 */

/** What stands between a line `-----BEGIN TYPE-----` and the next line that ends a block, where that is of the same type. */
export interface PemBlock {
  readonly type: string;
  /** Base64, and headers where there are any. */
  readonly body: string;
}

const begin = "-----BEGIN ";
const end = "-----END ";
const dashes = "-----";

/** Whatever stands around blocks does not count; a block that another type ends is none, as with Go's `pem.Decode`. */
export function* pemBlocks(text: string): Generator<PemBlock, undefined> {
  let at = text.indexOf(begin);
  while (at >= 0) {
    const newline = text.indexOf("\n", at);
    if (newline < 0) return;
    const label = text.slice(at + begin.length, newline).trimEnd();
    let next = newline + 1;
    if (label.endsWith(dashes)) {
      const close = text.indexOf(end, next);
      if (close < 0) return;
      const type = label.slice(0, -dashes.length);
      if (text.startsWith(`${type}${dashes}`, close + end.length)) yield { type, body: text.slice(next, close) };
      next = close + end.length;
    }
    at = text.indexOf(begin, next);
  }
}

/** The certificates of a text, each a text in PEM. */
export function* certificateBlocks(text: string): Generator<string, undefined> {
  for (const { type, body } of pemBlocks(text)) {
    if (type === "CERTIFICATE") yield `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`;
  }
}
