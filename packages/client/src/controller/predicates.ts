/** Which changes are worth a reconcile. */
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { Change } from "../cache/change.ts";

/** Must not throw, and must depend on nothing but the change. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** Passes over updates that left the desired state as it was: of status and metadata. For kinds that have a generation. */
export const generationChanged: Predicate = (change) =>
  change.type !== "updated" || change.object.metadata?.generation !== change.previous.metadata?.generation;

/** Passes over updates that left all labels as they were. */
export const labelsChanged: Predicate = (change) =>
  change.type !== "updated" || !deepEqual(change.object.metadata?.labels, change.previous.metadata?.labels);

/** Passes over updates that left all annotations as they were. */
export const annotationsChanged: Predicate = (change) =>
  change.type !== "updated" || !deepEqual(change.object.metadata?.annotations, change.previous.metadata?.annotations);

/** Makes a predicate that lets a change pass when at least one of these does. */
export const anyOf =
  <T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.some((predicate) => predicate(change));

/** Makes a predicate that lets a change pass when each of these does. */
export const allOf =
  <T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.every((predicate) => predicate(change));
