/** The checks as what `expect.extend` of Vitest and Jest takes. */
import type { ClusterObject } from "../cluster/cluster-object.ts";
import { WaitError, type WaitOptions } from "../cluster/wait-for.ts";
import { show } from "../validation/options.ts";
import { assertEventuallyCondition, assertEventuallyDeleted, assertEventuallyReady } from "./assert.ts";
import { type Check, describeCheck } from "./check.ts";
import { type ConditionOptions, checkCondition } from "./conditions.ts";
import { type Answer, checkAnswer, checkInvalid } from "./errors.ts";
import { eventually } from "./eventually.ts";
import { checkControlledBy, checkFinalizer } from "./metadata.ts";
import { checkReady } from "./ready.ts";

/** What `expect` offers besides, where each matcher returns `R`. */
export interface KubernetesMatchers<R = void> {
  /** The condition is True, or as the options say, and was observed of the object's newest generation. */
  toHaveCondition(type: string, options?: ConditionOptions): R;
  /** The condition Ready of a Pod, a Node or another object; of a Deployment, StatefulSet, DaemonSet or ReplicaSet all its Pods. */
  toBeReady(): R;
  toHaveFinalizer(finalizer: string): R;
  /** By the owner reference with `controller: true`. */
  toBeControlledBy(owner: object): R;
  /** Of an error: 409 Conflict. */
  toBeConflict(): R;
  /** Of an error: 404 NotFound. */
  toBeNotFound(): R;
  /** Of an error: 409 AlreadyExists. */
  toBeAlreadyExists(): R;
  /** Of an error: 403 Forbidden. */
  toBeForbidden(): R;
  /** Of an error: 422 Invalid, in this field when one is given. */
  toBeInvalid(field?: string): R;
  /** Of `cluster.object(…)`, as are all that follow: waits for `toHaveCondition`. */
  toEventuallyHaveCondition(type: string, options?: ConditionOptions & WaitOptions): Promise<void>;
  toEventuallyBeReady(options?: WaitOptions): Promise<void>;
  toEventuallyExist(options?: WaitOptions): Promise<void>;
  /** It is gone, or never was. */
  toEventuallyBeDeleted(options?: WaitOptions): Promise<void>;
  /** Waits until the assertion neither throws nor returns false. */
  toEventuallySatisfy(assertion: (object: never) => unknown, options?: WaitOptions): Promise<void>;
}

/** What a matcher answers, in Vitest and in Jest. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

interface MatcherContext {
  readonly isNot?: boolean;
}

type Matcher = (this: MatcherContext, received: unknown, ...args: never[]) => MatcherResult | Promise<MatcherResult>;

const now = <A extends readonly unknown[]>(check: (received: unknown, ...args: A) => Check) =>
  function matcher(this: MatcherContext, received: unknown, ...args: A): MatcherResult {
    const result = check(received, ...args);
    return { pass: result.pass, message: () => describeCheck(result, this.isNot === true) };
  };

const inTheEnd = <A extends readonly unknown[]>(wait: (object: ClusterObject, ...args: A) => Promise<unknown>) =>
  async function matcher(this: MatcherContext, received: unknown, ...args: A): Promise<MatcherResult> {
    if (this.isNot === true) throw new TypeError("`not` would wait for what never happens: wait for what does, then expect what is not so");
    try {
      await wait(asClusterObject(received), ...args);
      return { pass: true, message: () => "it was so in the end" };
    } catch (error) {
      if (!(error instanceof WaitError)) throw error;
      return { pass: false, message: () => error.message };
    }
  };

const answer = (wanted: Answer) => now((error) => checkAnswer(error, wanted));

/** For `expect.extend`. */
export const matchers = {
  toHaveCondition: now(checkCondition),
  toBeReady: now(checkReady),
  toHaveFinalizer: now(checkFinalizer),
  toBeControlledBy: now(checkControlledBy),
  toBeConflict: answer("conflict"),
  toBeNotFound: answer("notFound"),
  toBeAlreadyExists: answer("alreadyExists"),
  toBeForbidden: answer("forbidden"),
  toBeInvalid: now(checkInvalid),
  toEventuallyHaveCondition: inTheEnd(assertEventuallyCondition),
  toEventuallyBeReady: inTheEnd(assertEventuallyReady),
  toEventuallyExist: inTheEnd((object, options?: WaitOptions) => eventually(object, () => true, options)),
  toEventuallyBeDeleted: inTheEnd(assertEventuallyDeleted),
  toEventuallySatisfy: inTheEnd((object, assertion: (object: never) => unknown, options?: WaitOptions) =>
    eventually(object, (state) => assertion(state as never), options),
  ),
} satisfies Record<keyof KubernetesMatchers, Matcher>;

function asClusterObject(value: unknown): ClusterObject {
  if (typeof value === "object" && value !== null && "client" in value && "ref" in value && "target" in value)
    return value as ClusterObject;
  throw new TypeError(`${show(value)} is what it is and will not change: expect(cluster.object(pods, "web")).toEventually…`);
}
