/** A recording of a server, as it is made: the state at the beginning, then what happened since. */
import type { Client } from "@coxswain/client";
import { type PastMoment, parseGoDuration } from "@coxswain/machinery";
import type { RecordingBody, RecordingHeader } from "./format.ts";
import { type RecordingScope, ServerRecorder } from "./record-server.ts";
import { RecordingWriter } from "./recording-writer.ts";
import { Redactor } from "./redactor.ts";

export interface ServerRecordingOptions {
  readonly client: Client;
  /** The file, which is made. */
  readonly path: string;
  readonly scope: RecordingScope;
  /** The moment that it begins with: the oldest that is known, where that is later; undefined: now. */
  readonly from: string | undefined;
  readonly withSecrets: boolean;
  readonly facts: Pick<RecordingHeader, "coxswain" | "made" | "source" | "time" | "reason" | "seed" | "failure">;
}

export class ServerRecording implements Disposable {
  readonly header: RecordingHeader;
  readonly #recorder: ServerRecorder;
  readonly #writer: RecordingWriter;
  #upTo: number;

  private constructor(recorder: ServerRecorder, writer: RecordingWriter, header: RecordingHeader) {
    this.header = header;
    this.#recorder = recorder;
    this.#writer = writer;
    this.#upTo = header.from.resourceVersion;
  }

  /** Resolves when the state at the beginning is written. @throws StatusError, RecordingError */
  static async begin({ client, path, scope, from, withSecrets, facts }: ServerRecordingOptions): Promise<ServerRecording> {
    const recorder = new ServerRecorder(client, scope);
    const start = await beginningOf(recorder, from);
    const at = start.resourceVersion;
    await recorder.requireTimeline(at);
    const { lists, omitted } = await recorder.lists(at);
    const redactor = withSecrets ? undefined : new Redactor();
    // What stands for a value is to stand for it wherever the value is, before its Secret, too.
    if (redactor !== undefined) for await (const secret of recorder.secrets(at, lists)) redactor.learn(secret);
    const header: RecordingHeader = {
      kind: "header",
      ...facts,
      from: { resourceVersion: Number(at), time: start.time ?? start.oldest.time ?? facts.made },
      secrets: withSecrets ? "included" : "redacted",
      ...(omitted.length === 0 ? {} : { omitted }),
    };
    const recording = new ServerRecording(recorder, new RecordingWriter(path, header, redactor), header);
    try {
      for await (const record of recorder.state(at, lists)) recording.write(record);
      recording.#writer.flush();
      return recording;
    } catch (error) {
      recording[Symbol.dispose]();
      throw error;
    }
  }

  /** How many records there are. */
  get records(): number {
    return this.#writer.records;
  }

  write(record: RecordingBody): void {
    this.#writer.write(record);
  }

  /** Writes what has happened since it was called last, up to a moment or now; from here on it stays. @throws StatusError */
  async catchUp(to?: PastMoment): Promise<void> {
    const changes = this.#recorder.changes(this.#upTo, to === undefined ? undefined : Number(to.resourceVersion));
    for (let next = await changes.next(); ; next = await changes.next()) {
      if (next.done === true) {
        this.#upTo = Math.max(this.#upTo, next.value);
        break;
      }
      this.#writer.write(next.value);
      // Of a page that does not come, nothing is written: it is asked for again.
      if (next.value.kind === "change") this.#upTo = next.value.resourceVersion;
    }
    const end = to?.time === undefined ? undefined : Date.parse(to.time);
    for await (const conflict of this.#recorder.conflicts(Date.parse(this.header.from.time), end)) this.#writer.write(conflict);
    this.#writer.flush();
  }

  /** Which state a moment is. @throws StatusError */
  moment(at: string | undefined): Promise<PastMoment> {
    return this.#recorder.moment(at);
  }

  /** Makes the file whole. @param time by the clock of the server; milliseconds since the epoch */
  end(time: number): void {
    this.#writer.end({ resourceVersion: this.#upTo, time: new Date(time).toISOString() });
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]();
  }
}

/** What is asked for by its age begins where history does, if that is later. */
async function beginningOf(recorder: ServerRecorder, from: string | undefined): Promise<PastMoment> {
  try {
    return await recorder.moment(from);
  } catch (error) {
    if (from === undefined || typeof parseGoDuration(from) === "string") throw error;
    const { oldest } = await recorder.moment(undefined);
    return await recorder.moment(oldest.resourceVersion);
  }
}
