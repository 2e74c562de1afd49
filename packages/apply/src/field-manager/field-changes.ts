/** The fields that differ between two versions of an object, one by one, for messages. */

import type { KubeObject, StructType } from "@coxswain/machinery";
import { deepEqual, getOwn, isObject } from "@coxswain/machinery";
import { withoutUntracked } from "../field-path/field-filter.ts";
import { type FieldNode, type FieldPath, type FieldSet, nodeAt } from "../field-path/field-set.ts";
import type { KeyValue, PathElement } from "../field-path/path-element.ts";
import { type MergeList, mergeSchemaOf, schemaAt } from "../schema/merge-schema.ts";
import { compareValuesOf } from "../typed/compare.ts";
import { fieldsOf } from "../typed/fields-of.ts";
import { withoutManagedFields } from "./update.ts";

/** A field in which two objects differ. */
export interface FieldChange {
  readonly kind: "added" | "changed" | "removed";
  /** To a leaf, or to an item of a list that came or went as a whole. */
  readonly path: FieldPath;
}

/**
 * At most `most` changes, of those that a manager could own: what was added first, in the order of field sets.
 * @throws Error when an object does not have the shape of its type
 */
export function fieldChanges(
  type: StructType,
  before: Readonly<KubeObject>,
  after: Readonly<KubeObject>,
  most = Number.POSITIVE_INFINITY,
): readonly FieldChange[] {
  if (before === after) return [];
  const { added, modified, removed } = compareValuesOf(mergeSchemaOf(type), withoutManagedFields(before), withoutManagedFields(after));
  const changes: FieldChange[] = [];
  const collect = (kind: FieldChange["kind"], set: FieldSet, prefix: FieldPath): void => {
    for (const node of set.nodes) {
      if (changes.length >= most) return;
      const path = [...prefix, node.element];
      if (isWhole(node)) changes.push({ kind, path });
      else collect(kind, node.children, path);
    }
  };
  collect("added", withoutUntracked(added), []);
  collect("changed", withoutUntracked(modified), []);
  collect("removed", withoutUntracked(removed), []);
  return changes;
}

/** A map that came with its first entry is no change of its own: another writer may add another entry. */
const isWhole = ({ element, member, children }: FieldNode): boolean => children.nodes.length === 0 || (member && element.kind !== "field");

/** The fields of an object that have no fields of their own, of those that a manager could own: what is atomic is one field. */
export function leafFields(type: StructType, object: Readonly<KubeObject>): readonly FieldPath[] {
  const leaves: FieldPath[] = [];
  const collect = ({ nodes }: FieldSet, prefix: FieldPath): void => {
    for (const { element, children } of nodes) {
      const path = [...prefix, element];
      if (children.nodes.length === 0) leaves.push(path);
      else collect(children, path);
    }
  };
  collect(withoutUntracked(fieldsOf(mergeSchemaOf(type), withoutManagedFields(object))), []);
  return leaves;
}

/** What an object has at a path; undefined for nothing. Of items that share a key, the first. */
export function valueAt(type: StructType, object: Readonly<KubeObject>, path: FieldPath): unknown {
  let schema: ReturnType<typeof mergeSchemaOf> | undefined = mergeSchemaOf(type);
  let value: unknown = object;
  for (const element of path) {
    if (value === undefined || value === null || schema === undefined) return undefined;
    if (element.kind === "field") {
      value = isObject(value) ? getOwn(value, element.name) : undefined;
      schema = schema.map && schemaAt(schema.map, element.name);
    } else {
      const { list }: { list?: MergeList } = schema;
      value = Array.isArray(value) && list !== undefined ? itemAt(list, value, element) : undefined;
      schema = list?.item;
    }
  }
  return value;
}

function itemAt(list: MergeList, items: readonly unknown[], element: Exclude<PathElement, { kind: "field" }>): unknown {
  switch (element.kind) {
    case "index":
      return items[element.index];
    case "value":
      return items.find((item) => deepEqual(item, element.value));
    case "key":
      return items.find((item) => hasKeys(list, item, element.keys));
  }
}

function hasKeys(list: MergeList, item: unknown, keys: readonly KeyValue[]): boolean {
  if (!isObject(item)) return false;
  return list.keys.every((name) => {
    const own = getOwn(item, name) ?? list.item.map?.fields.get(name)?.default;
    return deepEqual(own, keys.find(([key]) => key === name)?.[1]);
  });
}

/** Whether the set has the path, or something in it, or a list item around it. */
export function concerns(set: FieldSet, path: FieldPath): boolean {
  let nodes = set;
  for (const element of path) {
    const node = nodeAt(nodes, element);
    if (node === undefined) return false;
    if (node.children.nodes.length === 0) return true;
    nodes = node.children;
  }
  return true;
}
