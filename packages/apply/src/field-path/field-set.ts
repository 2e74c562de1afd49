/**
 * Sets of fields: tries of path elements. They never change and share what they have in common, so that most operations
 * cost what differs. A node that is no member is only there for its children; there are no nodes for nothing.
 */
import { compareElements, fieldElement, type PathElement } from "./path-element.ts";

/**
 * A set of paths to fields, as a tree.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export interface FieldSet {
  /** In the order of their elements. */
  readonly nodes: readonly FieldNode[];
}

export interface FieldNode {
  readonly element: PathElement;
  /** Whether the path that ends here is in the set. */
  readonly member: boolean;
  readonly children: FieldSet;
}

/** A path to a field, element by element from the root of an object. */
export type FieldPath = readonly PathElement[];

export const noFields: FieldSet = { nodes: [] };

export const isEmptySet = (set: FieldSet): boolean => set.nodes.length === 0;

/** Takes the array over. The nodes may stand in any order, but each element only once. */
export function setOfNodes(nodes: FieldNode[] | undefined): FieldSet {
  if (nodes === undefined || nodes.length === 0) return noFields;
  let previous: FieldNode | undefined;
  for (const node of nodes) {
    if (previous !== undefined && compareElements(previous.element, node.element) > 0) {
      nodes.sort((a, b) => compareElements(a.element, b.element));
      break;
    }
    previous = node;
  }
  return { nodes };
}

/** The set of these paths; names stand for fields. */
export function fieldsAt(...paths: readonly (readonly (string | PathElement)[])[]): FieldSet {
  return paths.reduce(
    (set, path) => union(set, pathSet(path.map((step) => (typeof step === "string" ? fieldElement(step) : step)))),
    noFields,
  );
}

function pathSet(path: FieldPath): FieldSet {
  const last = path.length - 1;
  return path.reduceRight<FieldSet>((children, element, i) => ({ nodes: [{ element, member: i === last, children }] }), noFields);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.nodes.length === 0) return a;
  if (a.nodes.length === 0) return b;
  const nodes: FieldNode[] = [];
  let asA = true;
  let asB = true;
  zip(a, b, (left, right) => {
    const node = left === undefined ? right : right === undefined ? left : joinNodes(left, right);
    if (node === undefined) return;
    asA &&= node === left;
    asB &&= node === right;
    nodes.push(node);
  });
  return asA ? a : asB ? b : { nodes };
}

function joinNodes(left: FieldNode, right: FieldNode): FieldNode {
  const children = union(left.children, right.children);
  const member = left.member || right.member;
  if (children === left.children && member === left.member) return left;
  return children === right.children && member === right.member ? right : { element: left.element, member, children };
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || a.nodes.length === 0) return a;
  if (b.nodes.length === 0) return b;
  return filterNodes(a, b, (left, right) => {
    if (right === undefined) return undefined;
    return resize(left, left.member && right.member, intersection(left.children, right.children));
  });
}

/** What is in `a` and not in `b`. A path in `b` says nothing about those below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (b.nodes.length === 0 || a.nodes.length === 0) return a;
  if (a === b) return noFields;
  return filterNodes(a, b, (left, right) => {
    if (right === undefined) return left;
    return resize(left, left.member && !right.member, difference(left.children, right.children));
  });
}

/** What is in `a` and neither in `b` nor below a path of `b`. */
export function differenceWithin(a: FieldSet, b: FieldSet): FieldSet {
  if (b.nodes.length === 0 || a.nodes.length === 0) return a;
  return filterNodes(a, b, (left, right) => {
    if (right === undefined) return left;
    return right.member ? undefined : resize(left, left.member, differenceWithin(left.children, right.children));
  });
}

export function sameFields(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.nodes.length !== b.nodes.length) return false;
  return a.nodes.every((left, i) => {
    const right = b.nodes[i];
    return (
      right !== undefined &&
      (left === right ||
        (left.member === right.member && left.element.text === right.element.text && sameFields(left.children, right.children)))
    );
  });
}

export function nodeAt(set: FieldSet, element: PathElement): FieldNode | undefined {
  let low = 0;
  let high = set.nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const node = set.nodes[middle];
    if (node === undefined) return undefined;
    const order = compareElements(node.element, element);
    if (order === 0) return node;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldNode | undefined;
  for (const element of path) {
    node = nodeAt(node === undefined ? set : node.children, element);
    if (node === undefined) return false;
  }
  return node?.member === true;
}

/** All paths; at each level first those that end there, then those that go on. */
export function* pathsOf(set: FieldSet, prefix: FieldPath = []): Iterable<FieldPath> {
  for (const node of set.nodes) if (node.member) yield [...prefix, node.element];
  for (const node of set.nodes) if (node.children.nodes.length > 0) yield* pathsOf(node.children, [...prefix, node.element]);
}

/** The node with other content: itself when nothing differs, undefined when nothing is left. */
export function resize(node: FieldNode, member: boolean, children: FieldSet): FieldNode | undefined {
  if (member === node.member && children === node.children) return node;
  return member || children.nodes.length > 0 ? { element: node.element, member, children } : undefined;
}

/** `a` with what `keep` makes of its nodes, each beside the one of `b`; `a` itself when all stay. */
function filterNodes(a: FieldSet, b: FieldSet, keep: (left: FieldNode, right: FieldNode | undefined) => FieldNode | undefined): FieldSet {
  const nodes: FieldNode[] = [];
  let changed = false;
  zip(a, b, (left, right) => {
    if (left === undefined) return;
    const node = keep(left, right);
    changed ||= node !== left;
    if (node !== undefined) nodes.push(node);
  });
  return !changed ? a : nodes.length === 0 ? noFields : { nodes };
}

function zip(a: FieldSet, b: FieldSet, visit: (left: FieldNode | undefined, right: FieldNode | undefined) => void): void {
  for (let i = 0, j = 0; ; ) {
    const left = a.nodes[i];
    const right = b.nodes[j];
    if (left === undefined && right === undefined) return;
    const order = left === undefined ? 1 : right === undefined ? -1 : compareElements(left.element, right.element);
    visit(order <= 0 ? left : undefined, order >= 0 ? right : undefined);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
}
