/** Clusters by the hooks of node:test. */
import type { TestContext } from "node:test";
import { clusterByHooks, type HookOutcome, type UseClusterOptions, type UsedCluster } from "./cluster-by-hooks.ts";

/**
 * A cluster for the tests of this file or suite, or for each of them: started before, ended after, however they end. To be called
 * outside of tests. This one is for node:test; `coxswain/testing/vitest` and `coxswain/testing/jest` have their own.
 */
export function useCluster(options: UseClusterOptions = {}): UsedCluster {
  for (const [variable, runner] of Object.entries({ VITEST: "vitest", JEST_WORKER_ID: "jest" }))
    if (process.env[variable] !== undefined && process.env.NODE_TEST_CONTEXT === undefined)
      throw new TypeError(`this useCluster is for node:test; import the one of coxswain/testing/${runner}`);
  // Loaded when it is asked for: most who import this module have another runner, or none.
  const { before, after, beforeEach, afterEach } = process.getBuiltinModule("node:test");
  return clusterByHooks(
    {
      before: (fn) => before(fn),
      after: (fn) => after(fn),
      beforeEach: (fn) => beforeEach((test) => fn(nameOf(test))),
      afterEach: (fn) => afterEach((test) => fn(nameOf(test), outcomeOf(test))),
      isWithin: (inner, outer) => inner.startsWith(`${outer} > `),
    },
    options,
  );
}

/** With the names of the tests and suites around it. */
const nameOf = (test: unknown): string => (test as { readonly fullName: string }).fullName;

/** Before Node 22.2 a test does not say how it went. */
function outcomeOf(test: unknown): HookOutcome | undefined {
  const { passed, error } = test as { readonly passed?: boolean; readonly error?: unknown };
  return passed === undefined ? undefined : { hasFailed: !passed, error, report: (text) => (test as TestContext).diagnostic(text) };
}
