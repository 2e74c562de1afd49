/**
 * Lists and maps that a client has sent empty and that are null once they are decoded, as they are once they are stored: the
 * client manages them all the same.
 */
import type { Emptied, KubeObject } from "@coxswain/machinery";
import { cloneJson } from "../storage/clone-json.ts";

const emptied = new WeakMap<object, readonly Emptied[]>();

/** @param object as it was decoded for a request */
export function noteEmptied(object: Readonly<KubeObject>, fields: readonly Emptied[]): void {
  emptied.set(object, fields);
}

/** The object as it was sent: itself, where nothing in it was empty. */
export function withEmptied(object: KubeObject): KubeObject {
  const fields = emptied.get(object);
  if (fields === undefined) return object;
  const sent = cloneJson(object);
  for (const { steps, empty } of fields) {
    const [last = "", ...outer] = [...steps].reverse();
    const parent = outer.reverse().reduce<unknown>((at, step) => (isParent(at) ? at[step] : undefined), sent);
    // Defaults may have come in between.
    if (isParent(parent) && parent[last] === null) parent[last] = empty === "list" ? [] : {};
  }
  return sent;
}

const isParent = (value: unknown): value is Record<string | number, unknown> => typeof value === "object" && value !== null;
