/**
 * Runs a controller against a recording. What all others wrote is written again, in its order and at its times, and the controller writes what it
 * will: virtual time stands still until it has nothing more to do.
 */
import { startControllers } from "@coxswain/client";
import { AsyncDisposableStack, deepEqual, type KubeObject } from "@coxswain/machinery";
import type { KeyedChange } from "@coxswain/store";
import type { VirtualClock } from "../../testing/chance-and-time/virtual-clock.ts";
import { describeFailures } from "../../testing/cluster/describe-failures.ts";
import { objectEdits } from "./object-edits.ts";
import { intentOf, outcomeOf, type ReplayedWrite, type ReplayOutcome } from "./outcome.ts";
import { type ControllerName, type RecordedController, recordedController } from "./recorded-controller.ts";
import { type RecordedRun, type RunWrite, readRun } from "./recorded-run.ts";
import { objectOf, ReplayCluster, type Skipped } from "./replay-cluster.ts";
import { isRunnable, type ReplayedController } from "./replayed-controller.ts";
import { objectKeyNames } from "./written-object.ts";

/** What is run against a recording, and who it is there. */
export interface ReplayOptions extends ControllerName {
  readonly against: ReplayedController;
  /** Ends behind this write, or at this time: a resourceVersion, or a time as RFC 3339 has it. Default: the failure that the recording names, or its end. */
  readonly until?: string | undefined;
}

/** One write, of the recording or of the controller that ran against it. */
export interface ReplayStep {
  /** By the clock of the recording; milliseconds since the epoch. */
  readonly time: number;
  /** `others` was recorded and done again; `recorded` is of the recorded controller, `now` of this one, and `both` is the same of both. */
  readonly who: "others" | "recorded" | "now" | "both";
  readonly write: Pick<RunWrite, "key" | "ref" | "operation" | "by" | "edits">;
  /** Of the recording. */
  readonly revision?: number;
  /** Why it was not done again. */
  readonly skipped?: Skipped;
}

/** What came of it. */
export interface ReplayResult {
  readonly recording: RecordedRun["header"];
  /** As whom the controller worked. */
  readonly controller: { readonly user: string; readonly manager: string };
  readonly steps: readonly ReplayStep[];
  readonly outcome: ReplayOutcome;
  /** Of reconciles that failed in the end, a paragraph each. */
  readonly failures: readonly string[];
  /** How the controller itself failed, where it did. */
  readonly error?: unknown;
}

/** @throws RecordingError, UnknownControllerError; RangeError for an `until` that is no moment */
export async function runAgainst(path: string, options: ReplayOptions): Promise<ReplayResult> {
  const recorded = cutAt(readRun(path), options.until);
  const controller = recordedController(recorded.writes, options);
  await using replay = await ReplayCluster.start(recorded);
  const run = new ControllerRun(recorded, controller, replay);
  await run.play(options.against);
  const { steps, error } = run;
  return {
    ...{ recording: recorded.header, controller: { user: controller.user, manager: controller.manager }, steps },
    failures: describeFailures(replay.cluster.client.reconcileFailures.list()),
    outcome: await run.outcome(),
    ...(error === undefined ? {} : { error }),
  };
}

/** The recording up to a moment. */
function cutAt(recorded: RecordedRun, until: string | undefined): RecordedRun {
  const { header, writes } = recorded;
  const moment = until ?? (header.failure?.revision === undefined ? undefined : String(header.failure.revision));
  if (moment === undefined) return recorded;
  if (/^\d{1,15}$/.test(moment)) {
    const kept = writes.filter(({ revision }) => revision <= Number(moment));
    return { ...recorded, writes: kept, until: kept.at(-1)?.time ?? Date.parse(header.from.time) };
  }
  const time = Date.parse(moment);
  if (Number.isNaN(time)) throw new RangeError(`${JSON.stringify(moment)} is no moment: a resourceVersion, or a time as RFC 3339 has it`);
  return { ...recorded, writes: writes.filter((write) => write.time <= time), until: Math.min(time, recorded.until) };
}

class ControllerRun {
  readonly steps: ReplayStep[] = [];
  error: unknown;
  readonly #recorded: RecordedRun;
  readonly #controller: RecordedController;
  readonly #replay: ReplayCluster;
  readonly #done: ReplayedWrite[] = [];
  readonly #stop = new AbortController();
  #isEndless = false;

  constructor(recorded: RecordedRun, controller: RecordedController, replay: ReplayCluster) {
    this.#recorded = recorded;
    this.#controller = controller;
    this.#replay = replay;
  }

  async play(against: ReplayedController): Promise<void> {
    const { clock } = this.#replay;
    const { writes, until } = this.#recorded;
    using _limit = this.#limit();
    await using started = this.#start(against);
    await clock.settle();
    this.#collect();
    for (const write of writes) {
      if (this.#stop.signal.aborted) break;
      if (write.time > clock.now()) {
        await clock.advance({ ms: write.time - clock.now() });
        this.#collect();
      }
      if (this.#controller.isWriter(write.by)) await this.#compare(write);
      else await this.#redo(write);
    }
    await clock.advance({ ms: Math.max(0, this.#stop.signal.aborted ? 0 : until - clock.now()) });
    this.#collect();
    this.#stop.abort(new Error("the recording is over"));
    await clock.settle();
    await started.ended();
  }

  async outcome(): Promise<ReplayOutcome> {
    const objects = new Map<string, KubeObject | undefined>();
    const key = this.#recorded.header.failure?.key;
    if (key !== undefined) objects.set(key, await this.#replay.objectAt(key));
    return outcomeOf(this.#recorded, this.#controller, {
      writes: this.#done,
      objectOf: (one) => objects.get(one),
      isEndless: this.#isEndless,
    });
  }

  /** A controller that writes without end would keep time from passing. */
  #limit(): Disposable {
    const own = this.#recorded.writes.filter(({ by }) => this.#controller.isWriter(by)).length;
    const max = Math.max(1_000, 10 * own + this.#recorded.writes.length);
    let count = 0;
    return this.#replay.subscribe(() => {
      if (++count <= max || this.#stop.signal.aborted) return;
      this.#isEndless = true;
      this.#stop.abort(new Error("the controller writes without end"));
    });
  }

  #start(against: ReplayedController): Started {
    const { user, manager } = this.#controller;
    const client = this.#replay.cluster.clientFor({ name: user }, { fieldManager: manager });
    const { signal } = this.#stop;
    const owned = new AsyncDisposableStack();
    const run = (controllers: unknown): void => {
      const all = (Array.isArray(controllers) ? controllers : [controllers]).filter(isRunnable);
      if (all.length > 0 && !signal.aborted) owned.use(startControllers(all, { client, clientForServiceAccount: () => client }));
    };
    const work =
      typeof against === "function"
        ? Promise.resolve().then(async () => run(await against(client, signal)))
        : Promise.resolve(run(against));
    const onError = (error: unknown): void => {
      if (error !== signal.reason) this.error ??= error;
    };
    const settled = work.catch(onError);
    const ended = async (): Promise<void> => {
      const ending = Promise.all([owned.disposeAsync().catch(onError), settled]);
      await timePasses(this.#replay.clock, ending);
    };
    return { ended, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  async #redo(write: RunWrite): Promise<void> {
    const { time, revision } = write;
    const done = await this.#replay.redo(write);
    if (typeof done === "string") return void this.steps.push({ time, who: "others", write, revision, skipped: done });
    const made = this.#replayed(done, write.ref, false);
    this.steps.push({ time, who: "others", write: made, revision });
  }

  /** What the recorded controller wrote here, this one may write, too, before it goes on. */
  async #compare(write: RunWrite): Promise<void> {
    this.#replay.expect(write);
    await this.#replay.clock.settle();
    this.#collect();
    const intent = intentOf(write);
    const same = this.steps.findIndex((step) => step.who === "now" && deepEqual(intentOf(step.write), intent));
    const { time, revision } = write;
    const step = this.steps[same];
    if (step === undefined) this.steps.push({ time, who: "recorded", write, revision });
    else this.steps[same] = { ...step, who: "both", revision };
  }

  #collect(): void {
    for (const change of this.#replay.takeChanges()) {
      if (change.note?.user !== this.#controller.user) continue;
      const ref = objectKeyNames(change);
      if (ref === undefined) continue;
      const write = this.#replayed(change, ref, true);
      this.steps.push({ time: change.at, who: "now", write });
    }
  }

  #replayed({ key, at, entry, previous, note = {} }: KeyedChange, ref: RunWrite["ref"], isController: boolean): ReplayedWrite {
    const [before, object] = [objectOf(previous), objectOf(entry)];
    const { requestId: _, readAt: __, ...by } = note;
    const operation = entry === undefined ? "delete" : previous === undefined ? "create" : "update";
    const write = {
      key,
      ref,
      operation,
      by,
      time: at,
      edits: objectEdits(before, object),
      isController,
      ...(object === undefined ? {} : { object }),
    } as const;
    this.#done.push(write);
    return write;
  }
}

/** So long a controller may take to end. Seconds of virtual time. */
const maxEndSeconds = 120;

/** Until the work has ended, which may wait for time to pass. @throws Error when it does not end */
async function timePasses(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (let seconds = 0; !isOver && seconds < maxEndSeconds; seconds++) await clock.advance({ seconds: 1 });
  if (!isOver) throw new Error("the controller does not end when its signal is aborted");
  await over;
}

interface Started extends AsyncDisposable {
  /** Resolves when all of it has ended. */
  ended(): Promise<void>;
}
