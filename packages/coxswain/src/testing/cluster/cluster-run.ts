/** The run of one cluster, which can be recorded as long as somebody knows of it: after the cluster has ended, too. */
import type { Transport } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import type { MemoryStore } from "@coxswain/store";
import { validateOptions } from "../validation/options.ts";
import { type RecordableRun, settleRecordings } from "./failure-recordings.ts";
import type { RunState } from "./record-run.ts";
import { RunLog } from "./run-log.ts";
import { type ClusterRecordingOptions, clusterRecordingOptions } from "./test-cluster.ts";

export interface ClusterRunOptions {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly seed: number;
}

/** Disposed while the server still answers, it keeps the state that there is then. */
export class ClusterRun implements RecordableRun, AsyncDisposable {
  readonly log: RunLog;
  readonly #options: ClusterRunOptions;
  readonly #asAdmin: Transport;
  #ended: RunState | undefined;

  constructor(options: ClusterRunOptions, asAdmin: Transport) {
    this.log = new RunLog(options.clock);
    this.#options = options;
    this.#asAdmin = asAdmin;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  async state(): Promise<RunState> {
    if (this.#ended !== undefined) return this.#ended;
    await this.log.askConflicts(this.#asAdmin);
    const { store, clock, seed } = this.#options;
    return { store: store.snapshot(), now: clock.now(), clock, seed, log: this.log };
  }

  async record(path: string, options: ClusterRecordingOptions = {}): Promise<void> {
    validateOptions("record", options, clusterRecordingOptions);
    const { reason = "a test", ...rest } = options;
    const state = await this.state();
    const { recordRun } = await import("./record-run.ts");
    await recordRun(state, { path, reason, ...rest });
  }

  /** Where node:test says which test runs: when that fails, with whatever error, it is recorded, and the error says so. */
  recordWhenTestFails(): void {
    const test = runningTest();
    test?.after(() => {
      const { passed, error, fullName: name } = test;
      return settleRecordings(this, { hasFailed: passed === false, error, name, report: (text) => test.diagnostic(text) });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = await this.state();
    await this.#asAdmin[Symbol.asyncDispose]();
  }
}

interface RunningTest {
  readonly passed?: boolean;
  readonly error?: unknown;
  readonly fullName: string;
  after(fn: () => Promise<void>): void;
  diagnostic(text: string): void;
}

/** Undefined outside of tests, for suites, and before Node 26. */
function runningTest(): RunningTest | undefined {
  if (process.env.NODE_TEST_CONTEXT === undefined) return undefined;
  const { getTestContext } = process.getBuiltinModule("node:test") as { readonly getTestContext?: () => Partial<RunningTest> | undefined };
  const test = getTestContext?.();
  return typeof test?.after === "function" && "passed" in test ? (test as RunningTest) : undefined;
}
