/** What a recording has for who runs a controller against it: the state at the beginning, and each write as what it changed. */
import type { KubeObject } from "@coxswain/machinery";
import type {
  RecordedChange,
  RecordedFault,
  RecordedObject,
  RecordedRef,
  RecordedWriter,
  RecordingHeader,
} from "../../recording/format.ts";
import { RecordingReader } from "../../recording/recording-reader.ts";
import { storeKeyOf } from "../../recording/stored-object.ts";
import { type ObjectEdit, objectEdits } from "./object-edits.ts";

/** A write that took effect. */
export interface RunWrite {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly key: string;
  readonly ref: RecordedRef;
  readonly operation: RecordedChange["operation"];
  readonly by: RecordedWriter;
  readonly edits: readonly ObjectEdit[];
  /** As it was then, of a creation, and of the write that the recording names as the one that failed. */
  readonly object?: KubeObject;
}

export interface RecordedRun {
  readonly header: RecordingHeader;
  readonly objects: readonly RecordedObject[];
  readonly writes: readonly RunWrite[];
  readonly faults: readonly RecordedFault[];
  /** When it ends; milliseconds since the epoch. */
  readonly until: number;
  readonly isWhole: boolean;
}

/** @throws RecordingError */
export function readRun(path: string): RecordedRun {
  using reader = new RecordingReader(path);
  const { header } = reader;
  const objects: RecordedObject[] = [];
  const writes: RunWrite[] = [];
  const faults: RecordedFault[] = [];
  const current = new Map<string, KubeObject>();
  for (const record of reader.records()) {
    switch (record.kind) {
      case "object":
        objects.push(record);
        current.set(storeKeyOf(record.ref), record.object);
        break;
      case "change": {
        const key = storeKeyOf(record.ref);
        writes.push(writeOf(record, { key, before: current.get(key), isKept: record.resourceVersion === header.failure?.revision }));
        if (record.object === undefined) current.delete(key);
        else current.set(key, record.object);
        break;
      }
      case "fault":
        faults.push(record);
    }
  }
  const { ending } = reader;
  const last = writes.at(-1)?.time ?? Date.parse(header.from.time);
  const until = ending === "truncated" ? last : Math.max(last, Date.parse(ending.time));
  return { header, objects, writes, faults, until, isWhole: ending !== "truncated" };
}

/** An update of what the recording does not have is as good as its creation. */
function writeOf({ resourceVersion, time, ref, operation, by, object }: RecordedChange, { key, before, isKept }: Known): RunWrite {
  const made = operation === "update" && before === undefined ? "create" : operation;
  const write = { revision: resourceVersion, time, key, ref, operation: made, by, edits: objectEdits(before, object) };
  return (made === "create" || isKept) && object !== undefined ? { ...write, object } : write;
}

interface Known {
  readonly key: string;
  readonly before: KubeObject | undefined;
  readonly isKept: boolean;
}
