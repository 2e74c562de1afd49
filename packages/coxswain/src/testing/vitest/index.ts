/** `coxswain/testing` for Vitest: the same, with matchers for its `expect`, and `useCluster` by its hooks. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type KubernetesMatchers, matchers } from "../assertions/matchers.ts";
import { clusterByHooks, type UseClusterOptions, type UsedCluster } from "../lifecycle/cluster-by-hooks.ts";

export * from "../index.ts";

expect.extend(matchers);

/** A cluster for the tests of this file, or for each of them: started before, ended after, however they end. To be called outside of tests. */
export const useCluster = (options: UseClusterOptions = {}): UsedCluster =>
  clusterByHooks(
    {
      before: (fn) => beforeAll(fn),
      after: (fn) => afterAll(fn),
      beforeEach: (fn) => beforeEach(({ task }) => fn(task.id)),
      afterEach: (fn) =>
        afterEach(({ task: { id, name, result } }) => fn(id, { name, hasFailed: result?.state === "fail", error: result?.errors?.[0] })),
    },
    options,
  );

// As Vitest 5 declares it. Earlier ones have no `R`: their compilers need `skipLibCheck`, and then take it, too.
declare module "vitest" {
  interface Matchers<R extends void | Promise<void>, T> extends KubernetesMatchers<R> {}
}
