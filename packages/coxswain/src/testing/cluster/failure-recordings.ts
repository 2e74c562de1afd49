/** Recordings of runs that failed: where they are written, and which of them stay. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Transport } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import { VirtualClock } from "../chance-and-time/virtual-clock.ts";
import type { FailureOfRun, RunState } from "./record-run.ts";

/** A run that can be recorded as it is at any moment. */
export interface RecordableRun {
  readonly hasEnded: boolean;
  state(): Promise<RunState>;
}

/** A recording of a failure that somebody may have expected: it goes when the test passes, or the whole process does well. */
export interface FailureRecording {
  readonly path: string;
  /** What an error says of it. */
  readonly sentence: string;
  discard(): void;
}

/** So many of a process stay: who has many runs fail wants to see the first. */
const maxFiles = 20;
const nothing: FailureRecording = { path: "", sentence: "", discard: () => undefined };

const runs = new WeakMap<Transport, RecordableRun>();
/** Of each run, since its test began. */
const ofRun = new WeakMap<RecordableRun, FailureRecording[]>();
const written = new Set<string>();
let files = 0;
let isDiscardedAtExit = false;

/** Whoever waits by this transport, and in vain, records this run. */
export const recordFailuresOf = (transport: Transport, run: RecordableRun): void => void runs.set(transport, run);

/** What an error says of the recording of its run; empty where there is none. Never rejects. */
export async function recordFailureOf(transport: Transport, failure: FailureOfRun): Promise<string> {
  const run = runs.get(transport);
  // Whoever waited for a cluster that has ended waited for nothing.
  return run === undefined || run.hasEnded ? "" : (await recordFailure(run, failure)).sentence;
}

/** How a test ended, as far as its runner says. */
export interface TestOutcome {
  readonly hasFailed: boolean;
  readonly error: unknown;
  readonly name: string;
  /** Prints a line with the test, for errors that cannot say it themselves. */
  readonly report?: ((text: string) => void) | undefined;
}

/** A test is over: what was recorded of it goes, or else its error says where it is. */
export async function settleRecordings(of: Transport | RecordableRun, { hasFailed, error, name, report }: TestOutcome): Promise<void> {
  const run = "send" in of ? runs.get(of) : of;
  if (run === undefined) return;
  const recordings = ofRun.get(run) ?? [];
  ofRun.delete(run);
  if (!hasFailed) {
    for (const recording of recordings) recording.discard();
    return;
  }
  const cause = causeOf(error);
  if (isNoted.has(cause) || recordings.some(({ path }) => cause.message.includes(path))) return;
  isNoted.add(cause);
  const { sentence } = await recordFailure(run, { message: cause.message, ...writeOf(cause) }, name);
  // Of a test that was given up the runner has words of its own.
  if (cause === error && "failureType" in cause) return report?.(sentence.trim());
  cause.stack = (cause.stack ?? cause.message).replace(/(?=\n {4}at )|$/, () => sentence);
  cause.message += sentence;
}

/** Of several clusters of a test, the first is recorded. */
const isNoted = new WeakSet<ShownError>();

/** What a runner shows: it may have wrapped the error, or have made an object of its own of it. */
interface ShownError {
  message: string;
  stack?: string;
}

function causeOf(error: unknown): ShownError {
  if (error instanceof Error && error.cause instanceof Error && "failureType" in error) return error.cause;
  const isShown = typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";
  return isShown ? (error as ShownError) : { message: String(error) };
}

/** Of an error that names the write with which it went wrong, as that of an invariant does. */
function writeOf(error: ShownError & { readonly revision?: unknown; readonly key?: unknown }): Pick<FailureOfRun, "revision" | "key"> {
  const { revision, key } = error;
  return {
    ...(typeof revision === "number" ? { revision } : {}),
    ...(typeof key === "string" && key !== "" ? { key } : {}),
  };
}

/** Never rejects: that a run cannot be recorded must not hide why it failed. */
export async function recordFailure(run: RecordableRun, failure: FailureOfRun, reason = "a test failed"): Promise<FailureRecording> {
  const folder = process.env.COXSWAIN_RECORDINGS ?? join(tmpdir(), "coxswain-recordings");
  if (folder === "off" || written.size >= maxFiles) return nothing;
  const path = join(folder, `${process.pid}-${++files}.cox`);
  try {
    const state = await run.state();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { recordRun } = await import("./record-run.ts");
    const recorded = recordRun(state, { path, reason, failure });
    await (state.clock instanceof VirtualClock ? state.clock.track(recorded, { neverWaits: true }) : recorded);
  } catch (error) {
    if (existsSync(path)) rmSync(path);
    return { ...nothing, sentence: `\nThe run could not be recorded: ${messageOf(error)}` };
  }
  written.add(path);
  discardAtExit();
  const sentence = `\nThe run is recorded in ${path}: npx coxswain replay ${path}`;
  const recording = { path, sentence, discard: () => discard(path) };
  ofRun.set(run, [...(ofRun.get(run) ?? []), recording]);
  return recording;
}

function discard(path: string): void {
  written.delete(path);
  rmSync(path, { force: true });
}

/** Runners that end their processes as if all was well say of each test how it went, or not at all. */
function discardAtExit(): void {
  if (isDiscardedAtExit || process.env.VITEST !== undefined || process.env.JEST_WORKER_ID !== undefined) return;
  isDiscardedAtExit = true;
  process.once("exit", (code) => {
    if (code === 0) for (const path of written) discard(path);
  });
}
