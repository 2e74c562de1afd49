/**
 * Finalizers: while an object has one, deleting it only marks it, so that what it stands for can be cleaned up first.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
 */
import type { KubeObject } from "@coxswain/machinery";
import type { ResourceClient, WriteOptions } from "../contracts/client.ts";

/** Whether the object has this finalizer. */
export const hasFinalizer = (object: KubeObject, finalizer: string): boolean => object.metadata?.finalizers?.includes(finalizer) ?? false;

/** It was deleted, and only finalizers keep it. */
export const isBeingDeleted = (object: KubeObject): boolean => object.metadata?.deletionTimestamp !== undefined;

/** A new object, or the given one when there is nothing to change. */
export const withFinalizer = <T extends KubeObject>(object: T, finalizer: string): T =>
  hasFinalizer(object, finalizer) ? object : withFinalizers(object, [...(object.metadata?.finalizers ?? []), finalizer]);

/** A new object, or the given one when there is nothing to change. */
export const withoutFinalizer = <T extends KubeObject>(object: T, finalizer: string): T =>
  hasFinalizer(object, finalizer)
    ? withFinalizers(
        object,
        (object.metadata?.finalizers ?? []).filter((name) => name !== finalizer),
      )
    : object;

/**
 * Adds the finalizer on the server unless the object has it; resolves with the newest object known.
 * Do it before there is anything to clean up. @throws StatusError a conflict when the object is not the newest
 */
export const ensureFinalizer = <T extends KubeObject>(
  resource: ResourceClient<T>,
  object: T,
  finalizer: string,
  opts?: WriteOptions,
): Promise<T> => patchFinalizers(resource, object, withFinalizer(object, finalizer), opts);

/**
 * Takes the finalizer away on the server if the object has it; resolves with the newest object known. Without any left, an
 * object that is being deleted is gone. @throws StatusError a conflict when the object is not the newest
 */
export const releaseFinalizer = <T extends KubeObject>(
  resource: ResourceClient<T>,
  object: T,
  finalizer: string,
  opts?: WriteOptions,
): Promise<T> => patchFinalizers(resource, object, withoutFinalizer(object, finalizer), opts);

/** A merge patch replaces the whole list, so the precondition keeps what others add meanwhile from being lost. */
async function patchFinalizers<T extends KubeObject>(resource: ResourceClient<T>, before: T, after: T, opts?: WriteOptions): Promise<T> {
  if (before === after) return before;
  const { namespace, name, uid, resourceVersion } = before.metadata ?? {};
  if (!name || !resourceVersion) throw new TypeError("changing finalizers needs an object as the server gave it");
  const finalizers = after.metadata?.finalizers ?? [];
  const patch = { metadata: { uid, resourceVersion, finalizers } };
  return await resource.patch({ namespace, name }, { type: "merge", patch }, opts);
}

const withFinalizers = <T extends KubeObject>(object: T, finalizers: string[]): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
});
