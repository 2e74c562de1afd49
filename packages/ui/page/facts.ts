/** What is asked for lanes that can be seen, beyond their changes: phases of Pods, Events, conflicts, and controllers that fight. */
import type { ConflictRecord, ObjectHistoryReport } from "@coxswain/machinery";
import { conflicts, type EventObject, events, historyOf, ServerError } from "./api.ts";
import type { LaneFacts } from "./chart.ts";
import { type Fight, fightIn, fightTimes } from "./fights.ts";
import type { Lane, Model } from "./model.ts";

interface Known {
  /** The lane's newest resourceVersion when it was asked. */
  readonly revision: number;
  readonly history: ObjectHistoryReport;
}

const noFacts: LaneFacts = { phases: [], events: [], conflicts: [] };
/** So many questions at a time. */
const atOnce = 4;
/** Who writes so often in this time may be in a loop. */
const busyWrites = 8;
const busyMs = 600_000;

export class Facts {
  readonly #model: Model;
  readonly #onChange: () => void;
  readonly #known = new Map<number, Known>();
  readonly #asked = new Set<number>();
  #wanted: readonly Lane[] = [];
  #events = new Map<number, EventObject[]>();
  #conflicts = new Map<number, ConflictRecord[]>();
  #facts = new Map<number, LaneFacts>();

  constructor(model: Model, onChange: () => void) {
    this.#model = model;
    this.#onChange = onChange;
  }

  readonly of = (lane: number): LaneFacts => {
    const found = this.#facts.get(lane);
    if (found !== undefined) return found;
    const own = this.#events.get(lane) ?? [];
    const history = this.#known.get(lane)?.history;
    if (own.length === 0 && history === undefined && !this.#conflicts.has(lane)) return noFacts;
    const made: LaneFacts = {
      phases: history === undefined || this.#model.lanes[lane]?.object.resource !== "pods" ? [] : phasesOf(history),
      events: own.map((event) => ({ at: timeOf(event), isWarning: event.type === "Warning" })),
      conflicts: (this.#conflicts.get(lane) ?? []).map(({ at, readResourceVersion }) => ({
        at: Date.parse(at),
        readAt: this.#model.timeOf(lane, Number(readResourceVersion)),
      })),
    };
    this.#facts.set(lane, made);
    return made;
  };

  eventsOf(lane: number): readonly EventObject[] {
    return this.#events.get(lane) ?? [];
  }

  conflictsOf(lane: number): readonly ConflictRecord[] {
    return this.#conflicts.get(lane) ?? [];
  }

  /** What writers set back and forth; undefined where nothing is known of that. */
  fightOf(lane: number): Fight | undefined {
    const history = this.#known.get(lane)?.history;
    return history === undefined ? undefined : fightIn(history);
  }

  /** Lanes that can be seen now: the Pods among them, and what several write again and again, are asked about. */
  want(lanes: readonly Lane[]): void {
    this.#wanted = lanes.filter((lane) => isOfInterest(this.#model, lane));
    this.#askNext();
  }

  async refresh(): Promise<void> {
    const [found, happened] = await Promise.all([unlessForbidden(conflicts()), unlessForbidden(events())]);
    this.#conflicts = new Map();
    for (const record of found?.items ?? []) {
      const { group, resource, namespace, name } = record.object;
      const lane =
        name === undefined ? undefined : this.#model.laneOf({ group, resource, name, ...(namespace === undefined ? {} : { namespace }) });
      if (lane !== undefined) push(this.#conflicts, lane.index, record);
    }
    this.#events = new Map();
    const byKind = new Map(
      this.#model.lanes.map(({ object: { kind, namespace = "", name }, index }) => [`${kind}/${namespace}/${name}`, index]),
    );
    for (const event of happened?.items ?? []) {
      const { kind = "", namespace = "", name = "" } = event.involvedObject ?? {};
      const lane = byKind.get(`${kind}/${namespace}/${name}`) ?? byKind.get(`${kind}//${name}`);
      if (lane !== undefined) push(this.#events, lane, event);
    }
    this.#facts = new Map();
    this.#onChange();
  }

  #askNext(): void {
    for (const lane of this.#wanted) {
      if (this.#asked.size >= atOnce) return;
      const revision = newestOf(this.#model, lane.index);
      if (this.#asked.has(lane.index) || (this.#known.get(lane.index)?.revision ?? -1) >= revision) continue;
      this.#asked.add(lane.index);
      void this.#ask(lane, revision);
    }
  }

  async #ask(lane: Lane, revision: number): Promise<void> {
    const history = await historyOf(lane.object).catch(() => undefined);
    this.#asked.delete(lane.index);
    const nothing: ObjectHistoryReport = {
      kind: "ObjectHistory",
      apiVersion: "coxswain/v1",
      metadata: {},
      oldest: { resourceVersion: "" },
      items: [],
    };
    this.#known.set(lane.index, { revision, history: history ?? nothing });
    this.#facts.delete(lane.index);
    this.#onChange();
    this.#askNext();
  }
}

function isOfInterest(model: Model, { object, index }: Lane): boolean {
  if (object.resource === "pods") return true;
  if (object.resource === "events" || object.resource === "leases") return false;
  const { writer, time } = model.columns;
  const changes = model.changesOf(index).slice(-12);
  const [first = 0, last = 0] = [changes.at(-busyWrites), changes.at(-1)];
  if (changes.length >= busyWrites && (time[last] as number) - (time[first] as number) < busyMs) return true;
  let turns = 0;
  for (let i = 1; i < changes.length; i++) if (nameAt(model, writer, changes[i]) !== nameAt(model, writer, changes[i - 1])) turns++;
  return turns >= fightTimes;
}

const nameAt = (model: Model, writer: Int32Array, change: number | undefined): string | undefined =>
  model.writers[writer[change ?? 0] as number]?.name;

function newestOf(model: Model, lane: number): number {
  const last = model.changesOf(lane).at(-1);
  return last === undefined ? 0 : (model.columns.revision[last] as number);
}

function phasesOf({ items }: ObjectHistoryReport): LaneFacts["phases"] {
  const found: { at: number; phase: string }[] = [];
  for (const { time, operation, changes = [] } of [...items].reverse()) {
    if (time === undefined) continue;
    const phase = changes.find(({ field }) => field === ".status.phase")?.to;
    if (typeof phase === "string") found.push({ at: Date.parse(time), phase });
    else if (operation === "create") found.push({ at: Date.parse(time), phase: "Pending" });
  }
  return found;
}

export const timeOf = ({ lastTimestamp, eventTime, metadata }: EventObject): number =>
  Date.parse(lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? "");

/** Who may not see it does without. */
async function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServerError) return undefined;
    throw error;
  }
}

function push<T>(map: Map<number, T[]>, key: number, value: T): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else found.push(value);
}
