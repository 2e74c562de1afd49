/**
 * A persistent ordered map from key to Entry: a B+tree in which a change copies the nodes on one path and shares the
 * rest, so that every revision can keep its own root. Each branch knows how many entries are below it, which turns
 * pages and "how many remain" into arithmetic on positions.
 *
 * Keys are ordered by UTF-16 code unit, which for all of the Basic Multilingual Plane is also the byte order of UTF-8.
 */
import type { Entry } from "../storage/store.ts";

/** Nodes are never empty (but for the root) and never wider than this. */
const maxWidth = 32;
/** A node this narrow is merged with its neighbour when the two fit comfortably into one. */
const minWidth = 8;

interface Leaf {
  readonly kind: "leaf";
  readonly size: number;
  readonly entries: readonly Entry[];
}

interface Branch {
  readonly kind: "branch";
  readonly size: number;
  /** A lower bound of each child's keys; the first is never looked at. Shared between versions while no child comes or goes. */
  readonly bounds: readonly string[];
  readonly children: readonly Tree[];
}

export type Tree = Leaf | Branch;

export const emptyTree: Tree = { kind: "leaf", size: 0, entries: [] };

export function getEntry(tree: Tree, key: string): Entry | undefined {
  let node = tree;
  while (node.kind === "branch") {
    const child = node.children[childIndex(node, key)];
    if (child === undefined) return undefined;
    node = child;
  }
  const entry = node.entries[lowerBound(node.entries, key)];
  return entry?.key === key ? entry : undefined;
}

export function putEntry(tree: Tree, entry: Entry): Tree {
  const root = insert(tree, entry);
  return width(root) > maxWidth ? branchOf(split(root)) : root;
}

export function removeEntry(tree: Tree, key: string): Tree {
  let root = remove(tree, key);
  while (root.kind === "branch" && root.children.length === 1) root = root.children[0] ?? emptyTree;
  return width(root) === 0 ? emptyTree : root;
}

/** How many entries have a key less than `key`. */
export function rank(tree: Tree, key: string): number {
  let node = tree;
  let before = 0;
  while (node.kind === "branch") {
    const index = childIndex(node, key);
    for (let i = 0; i < index; i++) before += node.children[i]?.size ?? 0;
    const child = node.children[index];
    if (child === undefined) return before;
    node = child;
  }
  return before + lowerBound(node.entries, key);
}

/** The entries at the positions `from` (included) to `to` (excluded). */
export function slice(tree: Tree, from: number, to: number): Entry[] {
  const found: Entry[] = [];
  collect(tree, from, to, found);
  return found;
}

function collect(node: Tree, from: number, to: number, into: Entry[]): void {
  if (node.kind === "leaf") {
    const end = Math.min(to, node.size);
    for (let i = Math.max(from, 0); i < end; i++) into.push(node.entries[i] as Entry);
    return;
  }
  let offset = 0;
  for (const child of node.children) {
    if (offset >= to) return;
    if (offset + child.size > from) collect(child, from - offset, to - offset, into);
    offset += child.size;
  }
}

/** May return a node that is one too wide; the caller splits it. */
function insert(node: Tree, entry: Entry): Tree {
  if (node.kind === "branch") {
    const index = childIndex(node, entry.key);
    return replaceChild(node, index, insert(node.children[index] ?? emptyTree, entry));
  }
  const index = lowerBound(node.entries, entry.key);
  // Exactly as long as it is: splice would leave room to grow, and every version of a leaf is kept for as long as its revision.
  return leafOf(node.entries.toSpliced(index, node.entries[index]?.key === entry.key ? 1 : 0, entry));
}

/** May return an empty or narrow node; the caller drops or merges it. */
function remove(node: Tree, key: string): Tree {
  if (node.kind === "branch") {
    const index = childIndex(node, key);
    const child = node.children[index] ?? emptyTree;
    const next = remove(child, key);
    return next === child ? node : replaceChild(node, index, next);
  }
  const index = lowerBound(node.entries, key);
  return node.entries[index]?.key === key ? leafOf(node.entries.toSpliced(index, 1)) : node;
}

function replaceChild(branch: Branch, index: number, child: Tree): Branch {
  const children = branch.children.slice();
  const size = branch.size + child.size - (children[index]?.size ?? 0);
  const wide = width(child);
  if (wide > minWidth && wide <= maxWidth) {
    children[index] = child;
    return { kind: "branch", size, bounds: branch.bounds, children };
  }
  const bounds = branch.bounds.slice();
  const left = index === 0 ? 0 : index - 1;
  const neighbour = wide <= minWidth ? children[index === 0 ? 1 : left] : undefined;
  if (wide > maxWidth) {
    const [first, second] = split(child);
    children.splice(index, 1, first, second);
    bounds.splice(index + 1, 0, firstKey(second));
  } else if (wide === 0) {
    children.splice(index, 1);
    bounds.splice(index, 1);
  } else if (neighbour !== undefined && wide + width(neighbour) <= maxWidth - minWidth) {
    children.splice(left, 2, index === 0 ? concat(child, neighbour) : concat(neighbour, child));
    bounds.splice(left + 1, 1);
  } else children[index] = child;
  return { kind: "branch", size, bounds, children };
}

function split(node: Tree): [Tree, Tree] {
  const middle = width(node) >> 1;
  if (node.kind === "leaf") return [leafOf(node.entries.slice(0, middle)), leafOf(node.entries.slice(middle))];
  return [
    branchOf(node.children.slice(0, middle), node.bounds.slice(0, middle)),
    branchOf(node.children.slice(middle), node.bounds.slice(middle)),
  ];
}

function concat(left: Tree, right: Tree): Tree {
  if (left.kind === "leaf" && right.kind === "leaf") return leafOf([...left.entries, ...right.entries]);
  if (left.kind === "leaf" || right.kind === "leaf") throw new Error("siblings of a B+tree have one height");
  return branchOf([...left.children, ...right.children], [...left.bounds, firstKey(right), ...right.bounds.slice(1)]);
}

function leafOf(entries: readonly Entry[]): Leaf {
  return { kind: "leaf", size: entries.length, entries };
}

function branchOf(children: readonly Tree[], bounds: readonly string[] = children.map(firstKey)): Branch {
  let size = 0;
  for (const child of children) size += child.size;
  return { kind: "branch", size, bounds, children };
}

function width(node: Tree): number {
  return node.kind === "leaf" ? node.entries.length : node.children.length;
}

function firstKey(node: Tree): string {
  let first = node;
  while (first.kind === "branch") first = first.children[0] ?? emptyTree;
  return first.entries[0]?.key ?? "";
}

/** The child whose range holds `key`: the last one whose bound is not greater. */
function childIndex(branch: Branch, key: string): number {
  const { bounds } = branch;
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((bounds[middle] as string) <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The position of the first entry whose key is not less than `key`. */
function lowerBound(entries: readonly Entry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
