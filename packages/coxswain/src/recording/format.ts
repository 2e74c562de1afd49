/** What a recording consists of: records in the order in which they are read, the header first and the end last. */
import type { ConflictRecord, KubeObject, TimelineObject } from "@coxswain/machinery";

/** Goes up when an older program could not read recordings correctly any more. Kinds of records that it does not know it passes over. */
export const recordingFormat = 1;

/** The first bytes of a recording. */
export const magic = `coxswain recording ${recordingFormat}\n`;

/** An object by the path that it has in the API. */
export type RecordedRef = Omit<TimelineObject, "uid" | "owner">;

/** What went wrong, as far as that is known. */
export interface RecordedFailure {
  readonly message: string;
  /** The write with which it went wrong. */
  readonly revision?: number;
  /** The key in the store of the object that is not as it should be: `/registry/deployments/default/web`. */
  readonly key?: string;
  /** What that object did not become, in the words of `kubectl wait --for`. */
  readonly until?: string;
}

/** What is true of all of a recording. */
export interface RecordingHeader {
  readonly kind: "header";
  /** The version of coxswain. */
  readonly coxswain: string;
  /** When it was made, by the real clock; RFC 3339. */
  readonly made: string;
  readonly source: "server" | "test";
  /** The clock that the times of records are by. */
  readonly time: "real" | "virtual";
  /** Why it was made: a command line, or the name of a test. */
  readonly reason: string;
  /** The state that it begins with. `time`: RFC 3339. */
  readonly from: { readonly resourceVersion: number; readonly time: string };
  readonly seed?: number;
  readonly secrets: "redacted" | "included";
  /** Resources that are not in it, because who recorded may not list them or did not ask for them; as `pods` or `deployments.apps`. */
  readonly omitted?: readonly string[];
  readonly failure?: RecordedFailure;
}

/** An object of the state at the beginning. */
export interface RecordedObject {
  readonly kind: "object";
  readonly resourceVersion: number;
  readonly ref: RecordedRef;
  readonly object: KubeObject;
}

/** Who wrote, as far as that is known. */
export interface RecordedWriter {
  readonly user?: string;
  readonly manager?: string;
  readonly userAgent?: string;
  /** As the request had it: `create`, `apply`, `update/status`. */
  readonly verb?: string;
  readonly requestID?: string;
  /** The resourceVersion that the writer had read, when it said one. */
  readonly readResourceVersion?: string;
}

/** A write that took effect. */
export interface RecordedChange {
  readonly kind: "change";
  readonly resourceVersion: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly operation: "create" | "update" | "delete";
  readonly ref: RecordedRef;
  readonly by: RecordedWriter;
  /** As it was then; absent for a deletion. */
  readonly object?: KubeObject;
}

/** A write that was refused because another one was faster, as the server explained it. */
export interface RecordedConflict {
  readonly kind: "conflict";
  readonly conflict: ConflictRecord;
}

/** A request as its client saw it. Bodies are not kept: what they brought about are changes. */
export interface RecordedRequest {
  readonly kind: "request";
  /** When it was answered; milliseconds since the epoch. */
  readonly time: number;
  readonly user: string;
  readonly method: string;
  /** With those parameters that say nothing secret. */
  readonly path: string;
  /** Of the answer; absent where there was none. */
  readonly code?: number;
  /** Of a refusal, or why there was no answer. */
  readonly reason?: string;
  readonly message?: string;
}

/** A fault that a test brought about. */
export interface RecordedFault {
  readonly kind: "fault";
  readonly time: number;
  readonly fault: string;
  /** `update deployments.apps default/web` */
  readonly request: string;
  readonly afterEvents?: number;
}

/** Without it a recording is not whole. */
export interface RecordingEnd {
  readonly kind: "end";
  /** How many there are before it, the header counted. */
  readonly records: number;
  /** Up to where all changes are in it. */
  readonly resourceVersion: number;
  readonly time: string;
}

/** What comes between the header and the end. */
export type RecordingBody = RecordedObject | RecordedChange | RecordedConflict | RecordedRequest | RecordedFault;
/** Any line of a recording. */
export type RecordingRecord = RecordingHeader | RecordingBody | RecordingEnd;

/** A file is no recording, or none that can be read. The message is a sentence for its user. */
export class RecordingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RecordingError";
  }
}
