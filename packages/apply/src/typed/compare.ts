/** What differs between two versions of an object, found in one walk through both that skips what they share. */
import { deepEqual, getOwn, isEmpty, isObject } from "@coxswain/machinery";
import { type FieldNode, type FieldSet, isEmptySet, noFields, setOfNodes } from "../field-path/field-set.ts";
import { fieldElement, type PathElement } from "../field-path/path-element.ts";
import { itemElement, itemSignature } from "../schema/list-items.ts";
import { type Form, formOf, type MergeList, type MergeMap, type MergeSchema } from "../schema/merge-schema.ts";

/** No path is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Keys of either object that its type does not declare are passed over. */
export function compareValuesOf(schema: MergeSchema, before: unknown, after: unknown): Comparison {
  const root = new Level();
  root.compare(schema, before, after, rootElement);
  return { added: childrenOf(root.added), modified: childrenOf(root.modified), removed: childrenOf(root.removed) };
}

const rootElement = fieldElement("");

const childrenOf = (nodes: readonly FieldNode[] | undefined): FieldSet => nodes?.[0]?.children ?? noFields;

/** The findings below one element. */
class Level {
  added: FieldNode[] | undefined;
  modified: FieldNode[] | undefined;
  removed: FieldNode[] | undefined;

  /** What differs at an element. `undefined` is absence; null is a value. */
  compare(schema: MergeSchema, before: unknown, after: unknown, element: Element): void {
    if (before === after) return;
    const form = formOf(schema, after === undefined ? before : after);
    const formBefore = before === undefined || after === undefined ? form : formOf(schema, before);
    const finding = inspect(schema, form, before, after);
    this.#report(element, before, after, form === formBefore ? finding : joined(finding, inspect(schema, formBefore, before, after)));
  }

  #report(element: Element, before: unknown, after: unknown, { leaf, level }: Finding): void {
    if (before !== undefined && after !== undefined && leaf !== true && (level === undefined || isBare(level))) return;
    const named = elementOf(element);
    this.added = add(this.added, named, before === undefined, level?.added);
    this.modified = add(this.modified, named, leaf === true && before !== undefined && after !== undefined, level?.modified);
    this.removed = add(this.removed, named, after === undefined, level?.removed);
  }
}

const isBare = ({ added, modified, removed }: Level): boolean => added === undefined && modified === undefined && removed === undefined;

/** Made into a path element only when there is something to say about it. */
type Element = PathElement | string | { readonly list: MergeList; readonly item: unknown };

function elementOf(element: Element): PathElement {
  if (typeof element === "string") return fieldElement(element);
  return "list" in element ? itemElement(element.list, element.item) : element;
}

interface Finding {
  /** Set where the value itself is a leaf that differs. */
  readonly leaf?: true;
  readonly level?: Level;
}

const same: Finding = {};
const differs: Finding = { leaf: true };

function inspect(schema: MergeSchema, form: Form, before: unknown, after: unknown): Finding {
  const { map, list } = schema;
  if (form === "map" && map !== undefined) {
    const left = isObject(before) ? before : nothing;
    const right = isObject(after) ? after : nothing;
    if (!map.atomic && !(isEmpty(left) && isEmpty(right))) return { level: compareMaps(map, left, right) };
  } else if (form === "list" && list !== undefined) {
    const left: readonly unknown[] = Array.isArray(before) ? before : [];
    const right: readonly unknown[] = Array.isArray(after) ? after : [];
    if (!list.atomic && left.length + right.length > 0) return { level: compareLists(list, left, right) };
  }
  return before !== undefined && after !== undefined && deepEqual(before, after) ? same : differs;
}

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** What changes its form is looked at in both. */
function joined(a: Finding, b: Finding): Finding {
  const level = new Level();
  for (const kind of kinds) level[kind] = [...(a.level?.[kind] ?? []), ...(b.level?.[kind] ?? [])];
  return { level, ...(a.leaf === true || b.leaf === true ? { leaf: true } : {}) };
}

function add(
  nodes: FieldNode[] | undefined,
  element: PathElement,
  member: boolean,
  within: FieldNode[] | undefined,
): FieldNode[] | undefined {
  if (!member && (within === undefined || within.length === 0)) return nodes;
  const node = { element, member, children: setOfNodes(within) };
  if (nodes === undefined) return [node];
  nodes.push(node);
  return nodes;
}

function compareMaps(map: MergeMap, before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): Level {
  const level = new Level();
  for (const key in after) {
    const value = after[key];
    const previous = before === nothing ? undefined : getOwn(before, key);
    if (value === previous) continue;
    const field = map.fields.get(key);
    const schema = field?.schema ?? map.rest;
    if (schema !== undefined) level.compare(schema, previous, value, field?.element ?? key);
  }
  for (const key in before) {
    const previous = before[key];
    if (previous === undefined || getOwn(after, key) !== undefined || Object.hasOwn(after, key)) continue;
    const field = map.fields.get(key);
    const schema = field?.schema ?? map.rest;
    if (schema !== undefined) level.compare(schema, previous, undefined, field?.element ?? key);
  }
  return level;
}

/** Items that share a key count as one atomic value together. */
function compareLists(list: MergeList, before: readonly unknown[], after: readonly unknown[]): Level {
  const level = new Level();
  const left = itemsByKey(list, before);
  const right = itemsByKey(list, after);
  for (const [key, items] of left) compareItems(list, items, right.get(key) ?? [], level);
  for (const [key, items] of right) if (!left.has(key)) compareItems(list, [], items, level);
  return level;
}

type Items = readonly unknown[];

function itemsByKey(list: MergeList, values: Items): ReadonlyMap<string, Items> {
  const items = new Map<string, unknown[]>();
  for (const item of values) {
    const key = itemSignature(list, item);
    const known = items.get(key);
    if (known === undefined) items.set(key, [item]);
    else known.push(item);
  }
  return items;
}

function compareItems(list: MergeList, before: Items, after: Items, level: Level): void {
  const element = { list, item: firstOf(before, after) };
  if (before.length < 2 && after.length < 2) level.compare(list.item, before[0], after[0], element);
  else if (before.length < 2 || after.length < 2) compareDuplicates(list, before, after, level);
  else if (!deepEqual(before, after)) level.modified = add(level.modified, itemElement(list, element.item), true, undefined);
}

const firstOf = (before: Items, after: Items): unknown => (before.length > 0 ? before[0] : after[0]);

/** One of the two has several items, the other one or none. */
function compareDuplicates(list: MergeList, before: Items, after: Items, level: Level): void {
  // What becomes a duplicate loses its content and is added as such, what ceases to be one the reverse.
  const element = itemElement(list, firstOf(before, after));
  const found = new Level();
  found.compare(list.item, before.length > 1 ? undefined : before[0], after.length > 1 ? undefined : after[0], element);
  const marked = before.length > 1 ? "removed" : "added";
  found[marked] = [{ element, member: true, children: childrenOf(found[marked]) }];
  for (const kind of kinds) level[kind] = [...(level[kind] ?? []), ...(found[kind] ?? [])];
}

const kinds = ["added", "modified", "removed"] as const;

export const isSame = ({ added, modified, removed }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
