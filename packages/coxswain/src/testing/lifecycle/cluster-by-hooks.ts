/** A cluster that starts and ends with tests, by the hooks of whatever runs them. */
import { AsyncDisposableStack, type Clock } from "@coxswain/machinery";
import { settleRecordings, type TestOutcome } from "../cluster/failure-recordings.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { type ClusterOptions, clusterOptions, type TestCluster } from "../cluster/test-cluster.ts";
import { type OptionNames, show, validateOptions } from "../validation/options.ts";

/** What a test's clusters begin with, and how long they last. */
export interface UseClusterOptions extends Omit<ClusterOptions, "clock"> {
  /** `file`: one for all tests of the file or suite, with a namespace for each of them. `test`: one for each. Default: `file`. */
  readonly per?: "file" | "test";
  /** A function makes one for each cluster. Default: the real one. */
  readonly clock?: Clock | (() => Clock);
  /**
   * Called with each cluster before its first test: for definitions and controllers. What it resolves with is disposed before the
   * cluster, if it can be: `setup: (cluster) => startControllers([mirror], cluster)`.
   */
  readonly setup?: (cluster: TestCluster) => unknown;
}

/** A cluster as long as tests have it; its client means the test's namespace. */
export interface UsedCluster extends Omit<TestCluster, typeof Symbol.asyncDispose> {}

/** How a test went. Without a name it is what names it to the hooks. */
export type HookOutcome = Omit<TestOutcome, "name"> & Partial<Pick<TestOutcome, "name">>;

/** The hooks of a runner. `test` names a test, apart from any that runs at the same time. */
export interface RunnerHooks {
  before(fn: () => Promise<void>): void;
  after(fn: () => Promise<void>): void;
  beforeEach(fn: (test: string) => Promise<void>): void;
  /** With how the test went, where the runner says so. */
  afterEach(fn: (test: string, outcome?: HookOutcome) => Promise<void>): void;
  /** Whether one test runs inside another, and has what that has. Default: none does. */
  readonly isWithin?: (inner: string, outer: string) => boolean;
}

const options: OptionNames<UseClusterOptions> = { ...clusterOptions, per: true, setup: true };

/** Begins and ends clusters in the hooks, and returns what stands for the one of the test that runs. */
export function clusterByHooks(hooks: RunnerHooks, given: UseClusterOptions): UsedCluster {
  validateOptions("useCluster", given, options);
  const { per = "file" } = given;
  if (per !== "file" && per !== "test") throw new TypeError(`useCluster has a cluster per "file" or per "test", not per ${show(per)}`);
  const state = new ClusterState(given);
  if (per === "file") {
    hooks.before(() => state.start());
    hooks.after(() => state.end());
  }
  hooks.beforeEach(async (test) => {
    if (state.test !== undefined && hooks.isWithin?.(test, state.test) === true) return;
    if (state.test !== undefined)
      throw new Error(`${test} and ${state.test} run at once and cannot share one useCluster: call startCluster in each`);
    await (per === "file" ? state.startNamespace(test) : state.start(test));
  });
  hooks.afterEach(async (test, outcome) => {
    if (state.test !== test) return;
    if (outcome !== undefined) await settleRecordings(state.current().transport, { name: test, ...outcome });
    await (per === "file" ? state.endNamespace() : state.end());
  });
  return standIn(() => state.current());
}

class ClusterState {
  /** The one that runs, when it has a cluster or a namespace of its own. */
  test: string | undefined;
  readonly #options: UseClusterOptions;
  #cluster: TestCluster | undefined;
  #inNamespace: TestCluster | undefined;
  #owned = new AsyncDisposableStack();

  constructor(given: UseClusterOptions) {
    this.#options = given;
  }

  current(): TestCluster {
    const cluster = this.#inNamespace ?? this.#cluster;
    if (cluster === undefined)
      throw new Error("the cluster of useCluster is there in tests and in hooks after its own, and not outside of them");
    return cluster;
  }

  async start(test?: string): Promise<void> {
    this.test = test;
    const { per: _per, setup, clock, ...rest } = this.#options;
    this.#owned = new AsyncDisposableStack();
    const chosen = clock === undefined ? {} : { clock: typeof clock === "function" ? clock() : clock };
    const cluster = this.#owned.use(await startCluster({ ...rest, ...chosen }));
    this.#cluster = cluster;
    const made: unknown = await setup?.(cluster);
    if (isDisposable(made)) this.#owned.use(made);
  }

  async end(): Promise<void> {
    this.test = undefined;
    this.#cluster = undefined;
    await this.#owned.disposeAsync();
  }

  async startNamespace(test: string): Promise<void> {
    this.test = test;
    this.#inNamespace = await this.#cluster?.namespaceForTest();
  }

  async endNamespace(): Promise<void> {
    const ended = this.#inNamespace;
    this.test = undefined;
    this.#inNamespace = undefined;
    await ended?.[Symbol.asyncDispose]();
  }
}

const isDisposable = (value: unknown): value is AsyncDisposable =>
  typeof value === "object" && value !== null && (Symbol.asyncDispose in value || Symbol.dispose in value);

/** Whatever is asked of it, it asks what is current then. */
const standIn = (current: () => TestCluster): UsedCluster =>
  new Proxy({} as UsedCluster, {
    get: (_, name) => (typeof name === "symbol" || name === "then" ? undefined : Reflect.get(current(), name)),
    has: (_, name) => name in current(),
  });
