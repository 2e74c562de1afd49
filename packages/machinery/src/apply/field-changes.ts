/** The fields that differ between two versions of an object, one by one: for telling people. */
import type { KubeObject } from "../meta.ts";
import type { StructType } from "../schema/type.ts";
import { compareValuesOf } from "./compare.ts";
import { type FieldFilter, withoutUntracked } from "./field-filter.ts";
import { type FieldNode, type FieldPath, type FieldSet, nodeAt } from "./field-set.ts";
import { mergeSchemaOf } from "./merge-schema.ts";
import { withoutManagedFields } from "./update.ts";

export interface FieldChange {
  readonly kind: "added" | "changed" | "removed";
  /** To a leaf, or to an item of a list that came or went as a whole. */
  readonly path: FieldPath;
}

/**
 * At most `most` changes, of those that a manager could own; in the order of field sets, what was added first.
 * @throws Error when an object does not have the shape of its type
 */
export function fieldChanges(
  type: StructType,
  before: Readonly<KubeObject>,
  after: Readonly<KubeObject>,
  { filter, most = Number.POSITIVE_INFINITY }: { readonly filter?: FieldFilter | undefined; readonly most?: number } = {},
): readonly FieldChange[] {
  if (before === after) return [];
  const { added, modified, removed } = compareValuesOf(mergeSchemaOf(type), withoutManagedFields(before), withoutManagedFields(after));
  const changes: FieldChange[] = [];
  const collect = (kind: FieldChange["kind"], set: FieldSet): void => {
    const tracked = withoutUntracked(set);
    for (const path of wholesOf(filter === undefined ? tracked : filter(tracked), [])) {
      if (changes.length >= most) return;
      changes.push({ kind, path });
    }
  };
  collect("added", added);
  collect("changed", modified);
  collect("removed", removed);
  return changes;
}

function* wholesOf(set: FieldSet, prefix: FieldPath): Iterable<FieldPath> {
  for (const node of set.nodes) {
    const path = [...prefix, node.element];
    if (isWhole(node)) yield path;
    else yield* wholesOf(node.children, path);
  }
}

/** A map that came with its first entry is no change of its own: somebody else may add another entry. */
const isWhole = ({ element, member, children }: FieldNode): boolean => children.nodes.length === 0 || (member && element.kind !== "field");

/** Fields as a tree in which those that end nowhere are whole: for asking what is in, or around, one of them. */
export interface FieldTree {
  readonly children: Map<string, FieldTree>;
  whole: boolean;
}

export function fieldTree(paths: Iterable<FieldPath>): FieldTree {
  const root: FieldTree = { children: new Map(), whole: false };
  for (const path of paths) {
    let tree = root;
    for (const { text } of path) {
      let next = tree.children.get(text);
      if (next === undefined) {
        next = { children: new Map(), whole: false };
        tree.children.set(text, next);
      }
      tree = next;
    }
    tree.whole = true;
  }
  return root;
}

/** Whether the path is one of the fields, or in one, or around one. */
export function overlaps(fields: FieldTree, path: FieldPath): boolean {
  let tree = fields;
  for (const { text } of path) {
    const next = tree.children.get(text);
    if (next === undefined) return false;
    if (next.whole) return true;
    tree = next;
  }
  return true;
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
