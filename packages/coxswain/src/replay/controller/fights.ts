/** Fields that one writer sets and another sets back, again and again. */
import { stringifyJson } from "@coxswain/machinery";
import { editedField, isOfServer, type ObjectEdit } from "./object-edits.ts";

export interface Fight {
  readonly key: string;
  readonly field: string;
  readonly writers: readonly string[];
  /** How often it was set back. */
  readonly times: number;
}

interface FightingWrite {
  readonly key: string;
  readonly writer: string;
  readonly edits: readonly ObjectEdit[];
}

/** As the timeline counts them. */
const fightTimes = 3;

/** The longest of each field. */
export function fightsIn(writes: Iterable<FightingWrite>): readonly Fight[] {
  const last = new Map<string, { writer: string; from: string; to: string; times: number; writers: Set<string> }>();
  const fights = new Map<string, Fight>();
  for (const { key, writer, edits } of writes)
    for (const edit of edits) {
      if (isOfServer(edit)) continue;
      const field = editedField(edit);
      const id = `${key} ${field}`;
      const [before, from, to] = [last.get(id), textOf(edit.from), textOf(edit.to)];
      const isBack = before !== undefined && before.writer !== writer && before.from === to && before.to === from;
      const times = isBack ? before.times + 1 : 0;
      const writers = isBack ? before.writers.add(writer) : new Set([writer]);
      last.set(id, { writer, from, to, times, writers });
      if (times >= fightTimes && times > (fights.get(id)?.times ?? 0)) fights.set(id, { key, field, writers: [...writers], times });
    }
  return [...fights.values()];
}

const textOf = (value: unknown): string => (value === undefined ? "" : stringifyJson(value));
