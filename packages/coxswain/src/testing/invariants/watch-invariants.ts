/** Checks what is to hold on every version of every object of a test's cluster. */
import type { InvariantWatch, Violation } from "@coxswain/apiserver";
import type { TestCluster } from "../cluster/test-cluster.ts";
import { serverOf } from "../cluster/watchable-server.ts";
import type { Invariants } from "./invariants.ts";
import { InvariantViolation } from "./violation.ts";

/** Invariants that are watched until this is disposed of, or the cluster. */
export interface WatchedInvariants extends AsyncDisposable {
  /** Aborted by the first violation, which is its reason: what is given it ends at once, such as `waitFor`. */
  readonly signal: AbortSignal;
  /** Checks all that was written until now. @throws InvariantViolation, the first */
  check(): Promise<void>;
  /** The same without throwing: the first violation of each invariant by each object, in the order in which they came to be. */
  violations(): Promise<readonly InvariantViolation[]>;
  /** Checks what is left. @throws InvariantViolation for the first that the test has not been told of */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * From now on, each invariant is checked on every version of every object that it is about, of those between two events, too. A violation
 * fails the test when this, or the cluster, is disposed of; or as soon as the test calls `check`.
 */
export function watchInvariants(cluster: Pick<TestCluster, "client" | "namespace">, invariants: Invariants): WatchedInvariants {
  const { server, owned, onWork } = serverOf(cluster);
  const first = new AbortController();
  const found: InvariantViolation[] = [];
  /** Those that the test has been told of are its own to judge. */
  let known = 0;
  const onViolation = (violation: Violation): void => {
    const error = new InvariantViolation(violation);
    found.push(error);
    first.abort(error);
  };
  // Loaded when somebody watches, who sees what happens meanwhile.
  const given = import("./evaluate.ts").then(({ invariantOf }) =>
    Object.entries(invariants).map(([name, one]) => invariantOf(name, one, cluster.namespace)),
  );
  const starting = server.watchInvariants({ invariants: given, onWork, onViolation });
  onWork(starting);
  const caughtUp = async (): Promise<InvariantWatch> => {
    const watch = await starting;
    await watch.caughtUp();
    return watch;
  };
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    const watch = await caughtUp();
    watch[Symbol.dispose]();
    const [next] = found.slice(known);
    known = found.length;
    if (next !== undefined) throw next;
  };
  const dispose = (): Promise<void> => (ended ??= end());
  owned.defer(async () => {
    // What has been thrown by then is not thrown again.
    if (ended === undefined) await dispose();
  });
  return {
    signal: first.signal,
    async check() {
      await caughtUp();
      known = found.length;
      const [violation] = found;
      if (violation !== undefined) throw violation;
    },
    async violations() {
      await caughtUp();
      known = found.length;
      return [...found];
    },
    [Symbol.asyncDispose]: dispose,
  };
}
