/** Everything that happened, as the page holds it: columns of numbers, and for each object where its changes are. */

import type { TimelineObject, TimelinePage, TimelineWriter } from "@coxswain/machinery";
import { accountOf } from "./fights.ts";

/** What a change did. */
export const operations = ["created", "updated", "deleted"] as const;

interface Columns {
  readonly revision: Float64Array;
  readonly time: Float64Array;
  readonly lane: Int32Array;
  readonly writer: Int32Array;
  readonly operation: Uint8Array;
  /** The resourceVersion that the writer had read; 0 where it said none. */
  readonly read: Float64Array;
}

export interface Lane {
  readonly index: number;
  readonly object: TimelineObject;
  readonly label: string;
  /** What the filter looks in, in lower case. */
  readonly text: string;
}

export class Model {
  readonly lanes: Lane[] = [];
  readonly writers: { readonly writer: TimelineWriter; readonly name: string }[] = [];
  /** In the order of resourceVersions. */
  columns: Columns = columnsOf(0);
  /** Of each lane, where its changes begin in `changes`; one more at the end. */
  starts: Int32Array = new Int32Array(1);
  /** Places in the columns, by lane, oldest first. */
  changes: Int32Array = new Int32Array(0);
  /** All that the server knows is here. */
  isComplete = false;
  /** The oldest resourceVersion that the server knows the state at. */
  #oldest = Number.POSITIVE_INFINITY;
  readonly #lanes = new Map<string, number>();
  readonly #writers = new Map<string, number>();
  /** Parts of the columns, oldest first. */
  #parts: Columns[] = [];
  readonly #turns = new Map<number, readonly number[]>();
  #isStale = false;

  get size(): number {
    return this.columns.revision.length;
  }

  /** When the first change was that is known. */
  get firstTime(): number | undefined {
    return this.columns.time[0] ?? this.#parts[0]?.time[0];
  }

  /** Whether a lane's object was made by its first change that is known: before all that is known it may have been there. */
  isMadeByFirst(lane: number): boolean {
    const first = this.changesOf(lane)[0];
    if (first === undefined) return false;
    return this.columns.operation[first] === 0 || (this.isComplete && (this.columns.revision[first] as number) > this.#oldest);
  }

  /** Those before all that are known, newest first, as the server gives them. */
  addOlder(page: TimelinePage): void {
    if (page.changes.length > 0) this.#parts.unshift(this.#read(page, true));
    this.#isStale = true;
  }

  /** Those after all that are known, oldest first. */
  addNewer(page: TimelinePage): void {
    if (page.changes.length > 0) this.#parts.push(this.#read(page, false));
    this.#isStale = true;
  }

  laneOf({ group, resource, namespace = "", name }: Pick<TimelineObject, "group" | "resource" | "namespace" | "name">): Lane | undefined {
    const found = this.#lanes.get(`${group}/${resource}/${namespace}/${name}`);
    return found === undefined ? undefined : this.lanes[found];
  }

  /** Brings the columns up to date. @returns whether anything has changed */
  settle(): boolean {
    if (!this.#isStale) return false;
    this.#isStale = false;
    this.columns = joined(this.#parts);
    this.#parts = this.size === 0 ? [] : [this.columns];
    const { lane } = this.columns;
    const starts = new Int32Array(this.lanes.length + 1);
    for (const one of lane) starts[one + 1] = (starts[one + 1] ?? 0) + 1;
    for (let i = 0; i < this.lanes.length; i++) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0);
    const next = starts.slice();
    const changes = new Int32Array(lane.length);
    for (let i = 0; i < lane.length; i++) {
      const one = lane[i] as number;
      const at = next[one] as number;
      changes[at] = i;
      next[one] = at + 1;
    }
    this.starts = starts;
    this.changes = changes;
    this.#turns.clear();
    return true;
  }

  /** Places in the columns at which a lane's object comes to be and is deleted, in turns. */
  turnsOf(lane: number): readonly number[] {
    const found = this.#turns.get(lane);
    if (found !== undefined) return found;
    const { operation } = this.columns;
    const turns: number[] = [];
    let isThere = !this.isMadeByFirst(lane);
    for (const change of this.changesOf(lane)) {
      if ((operation[change] === 2) !== isThere) continue;
      turns.push(change);
      isThere = !isThere;
    }
    this.#turns.set(lane, turns);
    return turns;
  }

  /** The place in the columns of the change that made a version of a lane's object. */
  changeOf(lane: number, revision: number): number | undefined {
    return this.changesOf(lane).find((change) => this.columns.revision[change] === revision);
  }

  /** When a version of a lane's object was written. */
  timeOf(lane: number, revision: number): number | undefined {
    const found = this.changeOf(lane, revision);
    return found === undefined ? undefined : this.columns.time[found];
  }

  /** Places in the columns of a lane's changes, oldest first. */
  changesOf(lane: number): Int32Array {
    return this.changes.subarray(this.starts[lane] ?? 0, this.starts[lane + 1] ?? 0);
  }

  #read({ changes, objects, writers, oldest }: TimelinePage, isReversed: boolean): Columns {
    if (oldest !== undefined) this.#oldest = Number(oldest.resourceVersion);
    const lanes = objects.map((object) => this.#lane(object));
    const known = writers.map((writer) => this.#writer(writer));
    const columns = columnsOf(changes.length);
    for (let i = 0; i < changes.length; i++) {
      const [revision = 0, time = 0, object = 0, writer = 0, operation = 0, read = 0] =
        changes[isReversed ? changes.length - 1 - i : i] ?? [];
      columns.revision[i] = revision;
      columns.time[i] = time;
      columns.lane[i] = lanes[object] ?? 0;
      columns.writer[i] = known[writer] ?? 0;
      columns.operation[i] = operation;
      columns.read[i] = read;
    }
    return columns;
  }

  #lane(object: TimelineObject): number {
    const { group, resource, kind, namespace = "", name } = object;
    const key = `${group}/${resource}/${namespace}/${name}`;
    const found = this.#lanes.get(key);
    if (found !== undefined) return found;
    const index = this.lanes.length;
    const label = namespace === "" ? name : `${namespace}/${name}`;
    this.lanes.push({ index, object, label, text: `${kind} ${resource} ${label}`.toLowerCase() });
    this.#lanes.set(key, index);
    return index;
  }

  #writer(writer: TimelineWriter): number {
    const name = nameOf(writer);
    const key = `${name} ${writer.verb}`;
    const found = this.#writers.get(key);
    if (found !== undefined) return found;
    this.#writers.set(key, this.writers.length);
    return this.writers.push({ writer, name }) - 1;
  }
}

/** Controllers are known by their accounts, people by their tools. */
export function nameOf({ user, manager, userAgent }: TimelineWriter): string {
  const account = accountOf(user);
  const tool = manager || userAgent.split("/")[0] || "";
  if (user.startsWith("system:node:")) return "kubelet";
  if (user.startsWith("system:")) return account;
  return tool === "" ? account || "unknown" : account === "" ? tool : `${tool} (${account})`;
}

function columnsOf(length: number): Columns {
  return {
    revision: new Float64Array(length),
    time: new Float64Array(length),
    lane: new Int32Array(length),
    writer: new Int32Array(length),
    operation: new Uint8Array(length),
    read: new Float64Array(length),
  };
}

function joined(parts: readonly Columns[]): Columns {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const columns = columnsOf(parts.reduce((sum, { revision }) => sum + revision.length, 0));
  let at = 0;
  for (const part of parts) {
    columns.revision.set(part.revision, at);
    columns.time.set(part.time, at);
    columns.lane.set(part.lane, at);
    columns.writer.set(part.writer, at);
    columns.operation.set(part.operation, at);
    columns.read.set(part.read, at);
    at += part.revision.length;
  }
  return columns;
}

/** The first place in a lane's changes whose time is not before `time`. */
export function firstNotBefore(changes: Int32Array, times: Float64Array, time: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[changes[middle] as number] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
