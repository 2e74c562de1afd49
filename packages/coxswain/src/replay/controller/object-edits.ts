/** What a write changed in an object, field by field, so that it can be done again to another state of it. */
import { deepEqual, isObject, type KubeObject, setOwn } from "@coxswain/machinery";

/** A field of an object, or the item of a list that a field tells from the others. */
export type EditSegment = string | { readonly key: string; readonly value: string };

/** A field that has another value, or none any more. */
export interface ObjectEdit {
  readonly path: readonly EditSegment[];
  readonly from: unknown;
  /** Undefined: it is gone. */
  readonly to: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** What lists of objects are known by, the first that fits. Managers of fields have no name of their own. */
const listKeys = ["name", "uid", "type", "key", "ip", "containerPort", "port", "manager"] as const;

/** The version is none of the object's own. */
export function objectEdits(before: KubeObject | undefined, after: KubeObject | undefined): readonly ObjectEdit[] {
  return [...between(before ?? {}, after ?? {}, [])].filter(({ path }) => !isAt(path, "metadata", "resourceVersion"));
}

/** Fields that the server keeps: they say nothing of what a writer wants. */
export const isOfServer = ({ path }: ObjectEdit): boolean =>
  path[0] === "metadata" && ["managedFields", "generation", "uid", "creationTimestamp"].includes(String(path[1]));

/** The object with the fields changed. What is in an item of a list that it does not have, is left out. */
export function withEdits(object: KubeObject, edits: readonly ObjectEdit[]): KubeObject {
  const changed = structuredClone(object) as Record<string, unknown>;
  for (const { path, from, to } of edits) {
    if (isAt(path, "metadata", "generation")) addGeneration(changed, Number(to ?? 0) - Number(from ?? 0));
    else change(changed, path, to);
  }
  return changed as KubeObject;
}

/** `.spec.containers[name="web"].image` */
export const editedField = ({ path }: ObjectEdit): string =>
  path
    .map((segment) =>
      typeof segment === "string"
        ? /^[\w-]+$/.test(segment)
          ? `.${segment}`
          : `[${JSON.stringify(segment)}]`
        : `[${segment.key}=${JSON.stringify(segment.value)}]`,
    )
    .join("");

function* between(before: Json, after: Json, path: readonly EditSegment[]): Iterable<ObjectEdit> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    yield* values(own(before, name), own(after, name), [...path, name]);
}

function* values(before: unknown, after: unknown, path: readonly EditSegment[]): Iterable<ObjectEdit> {
  if (deepEqual(before, after)) return;
  if (isObject(before) && isObject(after)) return yield* between(before, after, path);
  // Of new metadata some is of the server, and some of who made the object.
  if (path.length === 1 && path[0] === "metadata") return yield* between((before ?? {}) as Json, (after ?? {}) as Json, path);
  const key = Array.isArray(before) && Array.isArray(after) ? keyOf([...before, ...after], [before, after]) : undefined;
  if (key === undefined) return yield { path, from: before, to: after };
  const [old, made] = [byKey(before as readonly Json[], key), byKey(after as readonly Json[], key)];
  for (const value of new Set([...old.keys(), ...made.keys()])) yield* values(old.get(value), made.get(value), [...path, { key, value }]);
}

/** What tells the items of all these lists from each other; undefined where nothing does. */
function keyOf(items: readonly unknown[], lists: readonly (readonly unknown[])[]): string | undefined {
  if (!items.every(isObject)) return undefined;
  return listKeys.find(
    (key) =>
      items.every((item) => item[key] !== undefined) && lists.every((list) => byKey(list as readonly Json[], key).size === list.length),
  );
}

const byKey = (items: readonly Json[], key: string): ReadonlyMap<string, Json> =>
  new Map(items.map((item) => [identityOf(item, key), item]));

const identityOf = (item: Json, key: string): string =>
  key === "manager" ? [item.manager, item.operation, item.apiVersion, item.subresource ?? ""].join(" ") : String(item[key]);

function change(object: Record<string, unknown>, path: readonly EditSegment[], to: unknown): void {
  let at: unknown = object;
  for (const [i, segment] of path.slice(0, -1).entries()) {
    const next = inside(at, segment);
    if (next === undefined && (typeof segment !== "string" || to === undefined || !isObject(at))) return;
    // An object that is missing is made, and so is a list whose item comes next.
    if (next === undefined) setOwn(at as Record<string, unknown>, segment as string, typeof path[i + 1] === "string" ? {} : []);
    at = inside(at, segment);
  }
  set(at, path.at(-1) ?? "", to);
}

function inside(at: unknown, segment: EditSegment): unknown {
  if (typeof segment === "string") return isObject(at) ? own(at, segment) : undefined;
  return Array.isArray(at) ? at.find((item) => isObject(item) && identityOf(item, segment.key) === segment.value) : undefined;
}

function set(at: unknown, segment: EditSegment, to: unknown): void {
  if (typeof segment === "string") {
    if (!isObject(at)) return;
    if (to === undefined) delete (at as Record<string, unknown>)[segment];
    else setOwn(at as Record<string, unknown>, segment, structuredClone(to));
    return;
  }
  if (!Array.isArray(at)) return;
  const index = at.findIndex((item) => isObject(item) && identityOf(item, segment.key) === segment.value);
  if (to === undefined) {
    if (index >= 0) at.splice(index, 1);
  } else if (index >= 0) at[index] = structuredClone(to);
  else at.push(structuredClone(to));
}

/** How often the spec was written is counted on, from where the other object is. */
function addGeneration(object: Record<string, unknown>, by: number): void {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  object.metadata = { ...metadata, generation: Math.max(1, Number(metadata.generation ?? 0) + by) };
}

const isAt = (path: readonly EditSegment[], first: string, second: string): boolean => path[0] === first && path[1] === second;

const own = (object: Json, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);
