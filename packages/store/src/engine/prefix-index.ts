/**
 * Finds, for a key, what was registered under any prefix of it: a radix tree, so that a look-up costs the few branching
 * points on the key's path, however many prefixes there are.
 */
interface TrieNode<T> {
  /** The text between the parent and this node; empty only at the root. */
  label: string;
  value: T | undefined;
  /** By the first code unit of the child's label. */
  readonly children: Map<number, TrieNode<T>>;
}

export class PrefixIndex<T> {
  readonly #root: TrieNode<T> = { label: "", value: undefined, children: new Map() };

  /** What stands under exactly this prefix; made by `make` when there is nothing yet. */
  obtain(prefix: string, make: () => T): T {
    let node = this.#root;
    let at = 0;
    while (at < prefix.length) {
      const code = prefix.charCodeAt(at);
      const child = node.children.get(code) ?? addChild(node, prefix.slice(at));
      const shared = sharedLength(child.label, prefix, at);
      node = shared === child.label.length ? child : splitChild(node, child, shared);
      at += shared;
    }
    node.value ??= make();
    return node.value;
  }

  remove(prefix: string): void {
    const path = [this.#root];
    let at = 0;
    while (at < prefix.length) {
      const child = path.at(-1)?.children.get(prefix.charCodeAt(at));
      if (child === undefined || !prefix.startsWith(child.label, at)) return;
      path.push(child);
      at += child.label.length;
    }
    const last = path.at(-1);
    if (last !== undefined) last.value = undefined;
    prune(path);
  }

  /** Calls `visit` for every registered prefix of `key`, the shortest first. */
  forEachPrefixOf(key: string, visit: (value: T) => void): void {
    let node = this.#root;
    let at = 0;
    for (;;) {
      if (node.value !== undefined) visit(node.value);
      if (at >= key.length) return;
      const child = node.children.get(key.charCodeAt(at));
      if (child === undefined || !key.startsWith(child.label, at)) return;
      node = child;
      at += child.label.length;
    }
  }
}

function addChild<T>(parent: TrieNode<T>, label: string): TrieNode<T> {
  const child: TrieNode<T> = { label, value: undefined, children: new Map() };
  parent.children.set(label.charCodeAt(0), child);
  return child;
}

/** Puts a node after the first `length` characters of the child's label. */
function splitChild<T>(parent: TrieNode<T>, child: TrieNode<T>, length: number): TrieNode<T> {
  const middle = addChild(parent, child.label.slice(0, length));
  child.label = child.label.slice(length);
  middle.children.set(child.label.charCodeAt(0), child);
  return middle;
}

/** Drops the nodes at the end of the path that lead to nothing any more. */
function prune<T>(path: TrieNode<T>[]): void {
  for (let i = path.length - 1; i > 0; i--) {
    const node = path[i];
    if (node === undefined || node.value !== undefined || node.children.size > 0) return;
    path[i - 1]?.children.delete(node.label.charCodeAt(0));
  }
}

function sharedLength(label: string, text: string, from: number): number {
  let length = 0;
  while (length < label.length && from + length < text.length && label.charCodeAt(length) === text.charCodeAt(from + length)) length++;
  return length;
}
