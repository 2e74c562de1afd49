/** The checks as plain functions, for node:test and for any other program: each throws an AssertionError. */
import type { KubeObject } from "@coxswain/machinery";
import type { ClusterObject } from "../cluster/cluster-object.ts";
import type { WaitOptions } from "../cluster/wait-for.ts";
import { assertCheck } from "./check.ts";
import { type ConditionOptions, checkCondition } from "./conditions.ts";
import { type Answer, checkAnswer, checkInvalid } from "./errors.ts";
import { eventuallyDeleted, eventuallyHolds } from "./eventually.ts";
import { checkControlledBy, checkFinalizer } from "./metadata.ts";
import { checkReady } from "./ready.ts";

/**
 * Asserts that the object has the condition with status True, or as the options say. A condition that was observed of an older
 * generation does not count, as for `kubectl wait`. @throws AssertionError with the conditions that there are
 */
export function assertCondition(object: KubeObject, type: string, options?: ConditionOptions): void {
  assertCheck(checkCondition(object, type, options), assertCondition);
}

/**
 * Asserts that a Pod, a Node or an object of another kind has the condition Ready, or that a Deployment, StatefulSet, DaemonSet
 * or ReplicaSet has as many ready Pods of its newest template as it wants. @throws AssertionError
 */
export function assertReady(object: KubeObject): void {
  assertCheck(checkReady(object), assertReady);
}

/** Asserts that the object has the finalizer. @throws AssertionError with those that it has */
export function assertFinalizer(object: KubeObject, finalizer: string): void {
  assertCheck(checkFinalizer(object, finalizer), assertFinalizer);
}

/** Asserts that the owner controls the object, by the uid in its owner reference. @throws AssertionError */
export function assertControlledBy(object: KubeObject, owner: KubeObject): void {
  assertCheck(checkControlledBy(object, owner), assertControlledBy);
}

/** True, so that it can be what `assert.rejects` asks: `await assert.rejects(update, assertConflict)`. */
function assertAnswer(error: unknown, answer: Answer, caller: (error: unknown) => true): true {
  assertCheck(checkAnswer(error, answer), caller);
  return true;
}

/** Asserts that an error is a conflict, for `assert.rejects(update, assertConflict)` too. @throws AssertionError */
export function assertConflict(error: unknown): true {
  return assertAnswer(error, "conflict", assertConflict);
}

/** Asserts that an error says that the object is not found, for `assert.rejects` too. @throws AssertionError */
export function assertNotFound(error: unknown): true {
  return assertAnswer(error, "notFound", assertNotFound);
}

/** Asserts that an error says that the object already exists, for `assert.rejects` too. @throws AssertionError */
export function assertAlreadyExists(error: unknown): true {
  return assertAnswer(error, "alreadyExists", assertAlreadyExists);
}

/** Asserts that an error says that the request is forbidden, for `assert.rejects` too. @throws AssertionError */
export function assertForbidden(error: unknown): true {
  return assertAnswer(error, "forbidden", assertForbidden);
}

/** Asserts that an error says that the object is invalid, in this field when one is given. @throws AssertionError */
export function assertInvalid(error: unknown, field?: string): true {
  assertCheck(checkInvalid(error, field), assertInvalid);
  return true;
}

/** Waits until `assertCondition` holds, and resolves with the object. @throws WaitError */
export function assertEventuallyCondition<T extends KubeObject>(
  object: ClusterObject<T>,
  type: string,
  { timeoutMs, signal, ...options }: ConditionOptions & WaitOptions = {},
): Promise<T> {
  return eventuallyHolds(object, (state) => checkCondition(state, type, options), waitOptions({ timeoutMs, signal }));
}

/** Waits until `assertReady` holds, and resolves with the object. @throws WaitError */
export function assertEventuallyReady<T extends KubeObject>(object: ClusterObject<T>, options: WaitOptions = {}): Promise<T> {
  return eventuallyHolds(object, checkReady, options);
}

/** Waits until the object is gone, and resolves with it as it was last seen. @throws WaitError */
export function assertEventuallyDeleted<T extends KubeObject>(object: ClusterObject<T>, options: WaitOptions = {}): Promise<T | undefined> {
  return eventuallyDeleted(object, options);
}

const waitOptions = ({ timeoutMs, signal }: { timeoutMs: number | undefined; signal: AbortSignal | undefined }): WaitOptions => ({
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
  signal,
});
