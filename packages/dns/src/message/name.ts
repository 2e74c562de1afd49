/**
 * Names: in messages they are labels with lengths, here text with dots. A dot or a backslash within a label stands behind a
 * backslash, a byte that is no printable ASCII as three decimal digits behind one (RFC 1035, section 5.1), so that no two
 * names have the same text.
 */
import { FormatError } from "./format-error.ts";

const maxLabel = 63;
/** With the lengths of labels and the empty label at the end. */
const maxName = 255;
const dot = 0x2e;
const backslash = 0x5c;

/** A name that was read, and where the message goes on. */
export interface ReadName {
  readonly name: string;
  readonly end: number;
}

/**
 * Pointers must point before what they continue, so that none is followed twice; and a name has at most 255 bytes.
 * @throws FormatError
 */
export function readName(bytes: Uint8Array, start: number): ReadName {
  let name = "";
  let length = 1;
  let at = start;
  let end: number | undefined;
  let before = start;
  for (;;) {
    const size = bytes[at];
    if (size === undefined) throw new FormatError("a name goes beyond the message");
    if (size === 0) return { name: name === "" ? "." : name, end: end ?? at + 1 };
    if (size >= 0xc0) {
      const low = bytes[at + 1];
      if (low === undefined) throw new FormatError("a name goes beyond the message");
      const target = ((size & 0x3f) << 8) | low;
      if (target >= before) throw new FormatError("a name points forward");
      end ??= at + 2;
      before = target;
      at = target;
      continue;
    }
    if (size > maxLabel) throw new FormatError("a label of an unknown kind");
    length += size + 1;
    if (length > maxName) throw new FormatError("a name is too long");
    if (at + 1 + size > bytes.length) throw new FormatError("a name goes beyond the message");
    name += labelText(bytes, at + 1, at + 1 + size);
    at += size + 1;
  }
}

const isPlain = (byte: number): boolean => byte > 0x20 && byte < 0x7f && byte !== dot && byte !== backslash;

function labelText(bytes: Uint8Array, start: number, end: number): string {
  let plain = start;
  while (plain < end && isPlain(bytes[plain] ?? 0)) plain++;
  if (plain === end) return `${latin1(bytes, start, end)}.`;
  let text = "";
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (isPlain(byte)) text += String.fromCharCode(byte);
    else if (byte === dot || byte === backslash) text += `\\${String.fromCharCode(byte)}`;
    else text += `\\${String(byte).padStart(3, "0")}`;
  }
  return `${text}.`;
}

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString("latin1", start, end);

/** The labels of a name, each as text with its backslashes; the root has none. */
export function labelsOf(name: string): string[] {
  if (name === ".") return [];
  const text = name.endsWith(".") ? name.slice(0, -1) : name;
  if (!text.includes("\\")) return text.split(".");
  const labels: string[] = [];
  let label = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    if (char === ".") {
      labels.push(label);
      label = "";
    } else {
      label += char;
      if (char === "\\") label += text[++i] ?? "";
    }
  }
  // A backslash before the last dot makes it a part of the label.
  return [...labels, label];
}

/** The bytes of a label. @throws FormatError for one that is empty or too long */
export function labelBytes(label: string): Uint8Array {
  const bytes: number[] = [];
  for (let i = 0; i < label.length; i++) {
    const digits = label.slice(i + 1, i + 4);
    if (label[i] !== "\\") bytes.push(label.charCodeAt(i));
    else if (/^\d{3}$/.test(digits)) {
      bytes.push(Number(digits));
      i += 3;
    } else bytes.push(label.charCodeAt(++i));
  }
  if (bytes.length === 0 || bytes.length > maxLabel || bytes.some((byte) => !(byte <= 255)))
    throw new FormatError("a label cannot be written");
  return Uint8Array.from(bytes);
}

/** A name as bytes, not compressed. @throws FormatError */
export function nameBytes(name: string): Uint8Array {
  const parts = labelsOf(name).map(labelBytes);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length + 1, 1));
  if (bytes.length > maxName) throw new FormatError("a name is too long");
  let at = 0;
  for (const part of parts) {
    bytes[at] = part.length;
    bytes.set(part, at + 1);
    at += part.length + 1;
  }
  return bytes;
}

/** In lower case, as far as names have one: ASCII. @see https://www.rfc-editor.org/rfc/rfc4343 */
export function lowerCase(name: string): string {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 0x41 && code <= 0x5a) return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  }
  return name;
}

/** Whether `name` is `zone` or below it; both in lower case and with their last dots. */
export function isWithin(name: string, zone: string): boolean {
  if (zone === "." || name === zone) return true;
  // A dot behind a backslash is a part of a label.
  return name.endsWith(`.${zone}`) && name[name.length - zone.length - 2] !== "\\";
}

/** With its last dot. */
export const absolute = (name: string): string => (name.endsWith(".") ? name : `${name}.`);
