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

export const encodeRecord = ({ id, at, note }: WriteRecord): Buffer => Buffer.from(JSON.stringify({ id, at, ...note }));

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
  const text = (name: keyof WriteNote): Partial<WriteNote> => (typeof found[name] === "string" ? { [name]: found[name] } : {});
  return { ...text("user"), ...text("manager"), ...text("userAgent"), ...text("requestId"), ...text("readAt") };
}
