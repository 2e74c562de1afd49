/** Who writes against whom, by the versions of an object. */
import type { ObjectHistoryReport, ObjectVersion } from "@coxswain/machinery";

/** A field that goes back and forth: between several writers it is a fight, and one alone goes round in a loop. */
export interface Fight {
  readonly field: string;
  readonly writers: readonly string[];
  readonly times: number;
}

/** A field that goes back and forth so often in the versions that are looked at is fought over; one writer alone may do so now and then. */
export const fightTimes = 3;
const loopTimes = 6;

/** A field that is set and set back, again and again. */
export function fightIn({ items }: Pick<ObjectHistoryReport, "items">): Fight | undefined {
  const last = new Map<string, { writer: string; from: string; to: string; times: number; writers: Set<string> }>();
  let worst: Fight | undefined;
  for (const version of [...items].reverse()) {
    for (const { field, from, to } of version.changes ?? []) {
      const before = last.get(field);
      const now = { writer: whoOf(version), from: JSON.stringify(from), to: JSON.stringify(to) };
      const isBack = before !== undefined && before.from === now.to && before.to === now.from;
      const times = isBack ? before.times + 1 : 0;
      const writers = isBack ? before.writers.add(now.writer) : new Set([now.writer]);
      last.set(field, { ...now, times, writers });
      const enough = writers.size > 1 ? fightTimes : loopTimes;
      if (times >= enough && times > (worst?.times ?? 0)) worst = { field, writers: [...writers], times };
    }
  }
  return worst;
}

/** A user's name without where accounts of the system are. */
export const accountOf = (user: string): string => user.replace(/^system:serviceaccount:[^:]*:/, "").replace(/^system:/, "");

export const whoOf = ({ manager = "", user = "", userAgent = "" }: ObjectVersion): string => {
  const account = accountOf(user);
  return user.startsWith("system:") ? account : manager || userAgent.split("/")[0] || account || "unknown";
};
