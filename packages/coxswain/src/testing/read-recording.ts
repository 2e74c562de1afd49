/** Reads a recording, as a test looks into it. */
import type { RecordingBody, RecordingHeader } from "../recording/format.ts";

/** All that a recording has. */
export interface Recording {
  readonly header: RecordingHeader;
  /** The state at the beginning, then what happened, in order; requests, conflicts and faults behind that. */
  readonly records: readonly RecordingBody[];
  /** It was written to its end. */
  readonly isWhole: boolean;
}

/** Reads all of a recording. @throws RecordingError for what is none, or is damaged */
export async function readRecording(path: string): Promise<Recording> {
  const { RecordingReader } = await import("../recording/recording-reader.ts");
  using reader = new RecordingReader(path);
  const records = [...reader.records()];
  return { header: reader.header, records, isWhole: reader.ending !== "truncated" };
}
