/** The words of causes: docs/concepts/conflicts.md has their grammar. */
import { type ManagedFields, managerOfAgent } from "@coxswain/apply";
import { goQuote } from "@coxswain/machinery";
import type { KeyChange, WriteNote } from "@coxswain/store";

const maxNameLength = 128;
const maxFieldLength = 256;

/** Cut off where it is longer. */
export const clip = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`);

export type Made = Pick<KeyChange, "note" | "at">;

export function describeWriter(note: WriteNote | undefined): string {
  const manager = note?.manager || managerOfAgent(note?.userAgent ?? "");
  const { user = "" } = note ?? {};
  if (manager === "" && user === "") return "an unknown writer";
  if (user === "") return describeManager(manager);
  const named = `user ${goQuote(clip(user, maxNameLength))}`;
  return manager === "" ? named : `${describeManager(manager)} (${named})`;
}

export const describeManager = (manager: string): string => `manager ${goQuote(clip(manager, maxNameLength))}`;

export const describeTime = (ms: number): string => new Date(ms).toISOString();

export const describeChange = ({ note, at }: Made): string => `by ${describeWriter(note)} at ${describeTime(at)}`;

/** What the managers of fields that were written last are known by, newest first; empty when there are none with a time. */
export function describeManagers({ managers }: ManagedFields, most: number): string {
  const timed = managers.flatMap(({ manager, time }) => (time === undefined ? [] : [{ manager, time }]));
  const newest = timed.sort((a, b) => Date.parse(b.time) - Date.parse(a.time)).slice(0, most);
  return newest.map(({ manager, time }) => `${describeManager(manager)} at ${time}`).join(", ");
}

/** A path that a terminal can be shown. */
export function describeField(field: string): string {
  const short = clip(field, maxFieldLength);
  return /\p{C}/u.test(short) ? short.replace(/\p{C}/gu, (rune) => `\\u{${rune.codePointAt(0)?.toString(16)}}`) : short;
}
