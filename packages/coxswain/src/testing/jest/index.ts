/** `coxswain/testing` for Jest: the same, with matchers for its `expect`, and `useCluster` by its hooks. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { type KubernetesMatchers, matchers } from "../assertions/matchers.ts";
import { clusterByHooks, type UseClusterOptions, type UsedCluster } from "../lifecycle/cluster-by-hooks.ts";

export * from "../index.ts";

expect.extend(matchers);

/** A cluster for the tests of this file, or for each of them: started before, ended after, however they end. To be called outside of tests. */
export const useCluster = (options: UseClusterOptions = {}): UsedCluster => {
  // Jest has one test of a file at a time but for `test.concurrent`, for which it runs no hooks of a test.
  const test = (): string => expect.getState().currentTestName ?? "";
  return clusterByHooks(
    {
      before: (fn) => beforeAll(() => fn()),
      after: (fn) => afterAll(() => fn()),
      beforeEach: (fn) => beforeEach(() => fn(test())),
      afterEach: (fn) => afterEach(() => fn(test())),
    },
    options,
  );
};

declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T> extends KubernetesMatchers<R> {}
}

declare global {
  namespace jest {
    /** For `expect` as a global, with the types of `@types/jest`. */
    interface Matchers<R, T> extends KubernetesMatchers<R> {}
  }
}
