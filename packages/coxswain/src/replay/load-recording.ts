/** A recording in memory, compressed: every state that it has can be read. */
import { type RecordedChange as HistoryChange, HistoryInMemory } from "@coxswain/history";
import type { ConflictRecord } from "@coxswain/machinery";
import {
  type RecordedChange,
  type RecordedFault,
  type RecordedRequest,
  RecordingError,
  type RecordingHeader,
} from "../recording/format.ts";
import { RecordingReader } from "../recording/recording-reader.ts";
import { storedValueOf, storeKeyOf } from "../recording/stored-object.ts";

export interface LoadedRecording extends Disposable {
  readonly header: RecordingHeader;
  readonly history: HistoryInMemory;
  /** Up to where all changes are in it. */
  readonly revision: number;
  /** When it ends; milliseconds since the epoch. */
  readonly until: number;
  readonly isWhole: boolean;
  /** Newest first, as a server has them. */
  readonly conflicts: readonly ConflictRecord[];
  readonly requests: readonly RecordedRequest[];
  readonly faults: readonly RecordedFault[];
  readonly changes: number;
}

const changesAtOnce = 1_000;
/** Of requests, faults and conflicts the last so many are kept. */
const maxKept = 20_000;

/** @throws RecordingError */
export function loadRecording(path: string): LoadedRecording {
  using reader = new RecordingReader(path);
  const loading = new Loading(reader.header);
  try {
    for (const record of reader.records()) {
      switch (record.kind) {
        case "object":
          loading.addObject({
            ...asStored(record.ref, record.object),
            revision: record.resourceVersion,
            at: loading.begun,
            note: undefined,
          });
          break;
        case "change":
          loading.addChange(changeOf(record));
          break;
        case "conflict":
          keep(loading.conflicts, record.conflict);
          break;
        case "request":
          keep(loading.requests, record);
          break;
        case "fault":
          keep(loading.faults, record);
      }
    }
    return loading.loaded(reader.ending);
  } catch (error) {
    loading.history[Symbol.dispose]();
    throw error instanceof RecordingError ? error : new RecordingError(`${path} cannot be read as a recording`, { cause: error });
  }
}

class Loading {
  readonly history = new HistoryInMemory();
  readonly begun: number;
  readonly conflicts: ConflictRecord[] = [];
  readonly requests: RecordedRequest[] = [];
  readonly faults: RecordedFault[] = [];
  readonly #header: RecordingHeader;
  #objects: HistoryChange[] | undefined = [];
  #changes: HistoryChange[] = [];
  #count = 0;
  #revision: number;
  #until: number;

  constructor(header: RecordingHeader) {
    this.#header = header;
    this.begun = Date.parse(header.from.time);
    this.#revision = header.from.resourceVersion;
    this.#until = this.begun;
  }

  addObject(object: HistoryChange): void {
    if (this.#objects === undefined) throw new RecordingError("an object of the beginning comes behind changes");
    if (object.revision > this.#revision) throw new RecordingError("an object of the beginning is newer than that");
    this.#objects.push(object);
  }

  addChange(change: HistoryChange): void {
    this.#begin();
    // Changes of one revision are recorded together.
    if (this.#changes.length >= changesAtOnce && change.revision !== this.#revision) this.#record();
    this.#changes.push(change);
    this.#count++;
    this.#revision = change.revision;
    this.#until = Math.max(this.#until, change.at);
  }

  loaded(ending: RecordingReader["ending"]): LoadedRecording {
    this.#begin();
    const isWhole = ending !== "truncated";
    if (isWhole) {
      this.#revision = Math.max(this.#revision, ending.resourceVersion);
      this.#until = Math.max(this.#until, Date.parse(ending.time));
    }
    this.#record();
    const { history, requests, faults } = this;
    return {
      ...{ header: this.#header, history, requests, faults, isWhole, revision: this.#revision, until: this.#until, changes: this.#count },
      conflicts: this.conflicts.toReversed(),
      [Symbol.dispose]: () => history[Symbol.dispose](),
    };
  }

  #begin(): void {
    if (this.#objects === undefined) return;
    this.history.begin(this.#objects, this.#revision, this.begun);
    this.#objects = undefined;
  }

  #record(): void {
    this.history.record(this.#changes, this.#revision);
    this.#changes = [];
  }
}

function changeOf({ resourceVersion, time, ref, by, object, operation }: RecordedChange): HistoryChange {
  const { requestID, readResourceVersion, ...rest } = by;
  const note = {
    ...rest,
    ...(requestID === undefined ? {} : { requestId: requestID }),
    ...(readResourceVersion === undefined ? {} : { readAt: readResourceVersion }),
    ...(operation === "create" && rest.verb === undefined ? { verb: "create" } : {}),
  };
  return { ...asStored(ref, object), revision: resourceVersion, at: time, note: JSON.stringify(note) };
}

const asStored = (ref: RecordedChange["ref"], object: RecordedChange["object"]) => ({
  key: storeKeyOf(ref),
  value: object === undefined ? undefined : storedValueOf(object, ref),
  isSealed: false,
  previous: undefined,
});

function keep<T>(all: T[], one: T): void {
  all.push(one);
  if (all.length > maxKept) all.shift();
}
