/**
 * What a server writes to its own key in the transaction of each write: which of its writes it is, and the note. So every server learns
 * of each revision who wrote it, and one that has lost an answer learns whether its write took place.
 */
import type { WriteNote } from "../storage/store.ts";

/** Which write of which server, when it was made, and by whom. */
export interface WriteRecord {
  /** Counts the writes of one server. */
  readonly id: number;
  /** By the clock of the server; milliseconds since the epoch. */
  readonly at: number;
  readonly note: WriteNote | undefined;
}

const noteNames = ["user", "manager", "userAgent", "requestId", "readAt"] as const satisfies readonly (keyof WriteNote)[];

/** As JSON. */
export function encodeRecord({ id, at, note }: WriteRecord): string {
  let text = `{"id":${id},"at":${at}`;
  if (note !== undefined) for (const name of noteNames) if (note[name] !== undefined) text += `,"${name}":${JSON.stringify(note[name])}`;
  return `${text}}`;
}

const idStart = Buffer.from('{"id":');

/** The number of a record of this program's, without reading the rest; undefined for anything else. */
export function idInRecord(value: Uint8Array): number | undefined {
  let id = 0;
  for (let at = 0; at < value.length; at++) {
    const byte = value[at] as number;
    if (at < idStart.length) {
      if (byte !== idStart[at]) return undefined;
    } else if (byte === comma) return id;
    else if (byte < zero || byte > nine) return undefined;
    else id = id * 10 + (byte - zero);
  }
  return undefined;
}

const [comma, zero, nine] = [0x2c, 0x30, 0x39];

/** Undefined for what is no record: a server's first value, or what somebody else has put there. */
export function decodeRecord(value: Buffer): WriteRecord | undefined {
  if (value.length === 0) return undefined;
  let found: Partial<Record<string, unknown>>;
  try {
    found = JSON.parse(value.toString()) as Partial<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const { id, at, ...note } = found;
  if (typeof id !== "number" || typeof at !== "number") return undefined;
  return { id, at, note: Object.keys(note).length === 0 ? undefined : noteOf(note) };
}

function noteOf(found: Partial<Record<string, unknown>>): WriteNote {
  const note: { -readonly [name in keyof WriteNote]: WriteNote[name] } = {};
  for (const name of noteNames) {
    const value = found[name];
    if (typeof value === "string") note[name] = value;
  }
  return note;
}
