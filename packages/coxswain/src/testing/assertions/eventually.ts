/** Checks that are to hold in the end: repeated whenever the object changes. */
import { type KubeObject, messageOf } from "@coxswain/machinery";
import type { ClusterObject } from "../cluster/cluster-object.ts";
import { type WaitOptions, waitFor } from "../cluster/wait-for.ts";
import { type Check, describeCheck } from "./check.ts";

/**
 * Waits until the assertion neither throws nor returns false; it is tried on each state of the object: any function of
 * node:assert, `expect`, or this module. Resolves with the object as it then is.
 * @throws WaitError with what the assertion said last
 * @throws TypeError for an assertion that returns a promise
 */
export async function eventually<T extends KubeObject>(
  { client, ref, target }: ClusterObject<T>,
  assertion: (object: T) => unknown,
  options: WaitOptions = {},
): Promise<T> {
  let last: unknown;
  const until = (object: T): boolean => {
    let answer: unknown;
    try {
      answer = assertion(object);
    } catch (error) {
      last = error;
      return false;
    }
    if (answer instanceof Promise)
      throw new TypeError("the assertion of `eventually` returns a promise: it has to say at once how the object is");
    last = undefined;
    return answer !== false;
  };
  const unmet = (): string => (last === undefined ? "the assertion was false" : messageOf(last));
  // Only a deletion resolves without an object.
  return (await waitFor(client, { ref, target, until, unmet }, options)) as T;
}

/** As a check that is to hold in the end. @throws WaitError */
export const eventuallyHolds = <T extends KubeObject>(
  object: ClusterObject<T>,
  check: (object: T) => Check,
  options: WaitOptions,
): Promise<T> =>
  eventually(
    object,
    (state) => {
      const result = check(state);
      if (!result.pass) throw new Error(describeCheck(result));
    },
    options,
  );

/** Resolves with the object as it was last seen; undefined when it was gone already. @throws WaitError */
export const eventuallyDeleted = <T extends KubeObject>(
  { client, ref, target }: ClusterObject<T>,
  options: WaitOptions,
): Promise<T | undefined> => waitFor(client, { ref, target, until: "delete" }, options);
