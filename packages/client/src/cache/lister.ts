import type { KubeObject, LabelSelector } from "@coxswain/machinery";
import type { ObjectRef } from "../contracts/resource-ref.ts";

/** Under which values an object is found. Must not throw, and must depend on nothing but the object. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[];

/** Index functions by the names under which `byIndex` finds their values. */
export type Indexes<T extends KubeObject = KubeObject> = Readonly<Record<string, IndexFunction<T>>>;

/** Which objects of a cache a list returns; all of them by default. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
}

/**
 * Reads a cache, without waiting. What it gives is shared by all readers and frozen: to change something make a copy,
 * with `structuredClone` or by spreading.
 */
export interface Lister<T extends KubeObject = KubeObject> {
  /** How many objects there are. */
  readonly size: number;
  /** A ref without a namespace means the informer's; in a copy of the whole cluster it means what is in none. */
  get(ref: ObjectRef): T | undefined;
  /** In no order that means anything. @throws badRequest() for a selector that cannot be read */
  list(selection?: Selection): T[];
  /** @throws TypeError when the informer has no such index */
  byIndex(name: string, value: string): T[];
}
