/** A field of any object by its path, as messages write it: `.spec.replicas`, `.metadata.labels["app.kubernetes.io/name"]`. */
import { getOwn, isObject, type KubeObject, setOwn } from "@coxswain/machinery";

/** Names of fields and keys of maps: what a merge patch and an apply can both name. */
export type FieldPath = readonly string[];

const step = /\.([A-Za-z_][\w-]*)|\["([^"\\\]]{1,253})"\]/y;
const maxSteps = 16;

/** Undefined for what is no path. */
export function parseField(text: string): FieldPath | undefined {
  const path: string[] = [];
  const steps = new RegExp(step);
  while (steps.lastIndex < text.length) {
    const [, name, key] = steps.exec(text) ?? [];
    const found = name ?? key;
    if (found === undefined || path.length === maxSteps) return undefined;
    path.push(found);
  }
  return path.length === 0 ? undefined : path;
}

/** Undefined also where there is none. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let at = object;
  for (const name of path) at = isObject(at) ? getOwn(at, name) : undefined;
  return at;
}

/** The object with another value there. What is no object on the way becomes one; whether that makes sense the server says. */
export function withValue<T extends KubeObject>(object: T, path: FieldPath, value: unknown): T {
  return changed(object, path, value) as T;
}

/** An object with nothing else in it. */
export const onlyValue = (path: FieldPath, value: unknown): object => changed({}, path, value) as object;

function changed(at: unknown, [first, ...rest]: FieldPath, value: unknown): unknown {
  if (first === undefined) return value;
  const object = isObject(at) ? { ...at } : {};
  setOwn(object, first, changed(getOwn(object, first), rest, value));
  return object;
}
