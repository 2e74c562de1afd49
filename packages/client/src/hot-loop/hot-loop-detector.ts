/**
 * Notices objects that are written again and again and get nowhere: two writers who undo each other's work, or one who
 * writes what is there already. Progress, however fast, is none of that: a rollout changes a status a hundred times a
 * second. What is kept is bounded, and an object that is seldom written costs one number.
 */
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { Change } from "../cache/change.ts";
import { LruMap } from "../events/lru-map.ts";
import { changedLeaves, formatSteps } from "./changed-leaves.ts";
import { writerOf } from "./writer-of.ts";

export interface HotLoop {
  readonly object: KubeObject;
  /** Names of field managers, in the order of the alphabet. */
  readonly writers: readonly string[];
  /** Undefined when nothing was changed at all. */
  readonly field: string | undefined;
  /** So many writes that undo one another came within `withinMs`. */
  readonly writes: number;
  readonly withinMs: number;
}

export interface HotLoopOptions {
  readonly clock: Clock;
  /** So many writes that undo one another... Default: 10. */
  readonly writes?: number;
  /** ...within this time are a hot loop. Default: 10,000. */
  readonly withinMs?: number;
  /** An object is reported at most once in this time. Default: 600,000. */
  readonly silentMs?: number;
  readonly onHotLoop: (loop: HotLoop) => void;
}

/** Objects are watched closely once they were written so often within the time. */
const suspectAfterWrites = 4;
const maxSuspects = 200;
const maxFieldsOfSuspect = 20;
const maxValuesOfField = 8;

/** To be called with every change that an informer sees. */
export function hotLoopDetector(options: HotLoopOptions): (change: Change) => void {
  const { clock, writes = 10, withinMs = 10_000, silentMs = 600_000, onHotLoop } = options;
  const followed = new LruMap<string, Suspect>(maxSuspects);
  let counts = new Map<string, number>();
  let countedSince = clock.monotonic();
  return (change) => {
    if (change.type !== "updated" || change.resync) return;
    const { uid, resourceVersion } = change.object.metadata ?? {};
    if (uid === undefined || resourceVersion === change.previous.metadata?.resourceVersion) return;
    const nowMs = clock.monotonic();
    if (nowMs - countedSince > withinMs) {
      counts = new Map();
      countedSince = nowMs;
    }
    const count = (counts.get(uid) ?? 0) + 1;
    counts.set(uid, count);
    let suspect = followed.get(uid);
    if (suspect === undefined) {
      if (count < suspectAfterWrites) return;
      suspect = new Suspect();
      followed.set(uid, suspect);
    }
    const loop = suspect.observe(change.previous, change.object, { nowMs, writes, withinMs, silentMs });
    if (loop !== undefined) onHotLoop(loop);
  };
}

interface Limits {
  readonly nowMs: number;
  readonly writes: number;
  readonly withinMs: number;
  readonly silentMs: number;
}

interface InVain {
  readonly ms: number;
  readonly field: string | undefined;
  readonly writers: readonly string[];
}

class Suspect {
  /** Values that a field had of late, as JSON, and who wrote it. */
  readonly #fields = new LruMap<string, { readonly values: LruMap<string, true>; readonly writers: Set<string> }>(maxFieldsOfSuspect);
  #inVain: InVain[] = [];
  #silentUntil = 0;

  observe(before: KubeObject, after: KubeObject, { nowMs, writes, withinMs, silentMs }: Limits): HotLoop | undefined {
    const inVain = this.#judge(before, after, nowMs);
    if (inVain === undefined || nowMs < this.#silentUntil) return undefined;
    this.#inVain = [...this.#inVain.filter(({ ms }) => nowMs - ms <= withinMs), inVain];
    if (this.#inVain.length < writes) return undefined;
    const writers = new Set(this.#inVain.flatMap((one) => one.writers).filter((name) => name !== ""));
    const found = { object: after, writers: [...writers].sort(), field: inVain.field, writes: this.#inVain.length, withinMs };
    this.#silentUntil = nowMs + silentMs;
    this.#inVain = [];
    return found;
  }

  /** A write that restores earlier values in all fields that it changes is part of a loop; undefined for progress. */
  #judge(before: KubeObject, after: KubeObject, ms: number): InVain | undefined {
    const leaves = changedLeaves(before, after);
    if (leaves.length === 0) return { ms, field: undefined, writers: [writerOf(before, after, [])] };
    const judged = leaves.slice(0, maxFieldsOfSuspect).map((leaf) => {
      const field = formatSteps(leaf.path);
      const known = this.#fields.get(field) ?? { values: new LruMap<string, true>(maxValuesOfField), writers: new Set<string>() };
      const value = JSON.stringify(leaf.after) ?? "";
      const isBack = known.values.get(value) === true;
      known.values.set(JSON.stringify(leaf.before) ?? "", true);
      known.values.set(value, true);
      known.writers.add(writerOf(before, after, leaf.path));
      this.#fields.set(field, known);
      // A status that one writer keeps follows what it describes, back and forth.
      const isFought = known.writers.size > 1 || leaf.path[0] !== "status";
      return { field, isInVain: isBack && isFought, writers: [...known.writers] };
    });
    const fought = judged.find(({ writers }) => writers.length > 1) ?? judged[0];
    if (fought === undefined || !judged.every(({ isInVain }) => isInVain)) return undefined;
    return { ms, field: fought.field, writers: fought.writers };
  }
}
