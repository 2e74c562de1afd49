/** Lists and maps that expressions make. */
import { CelError, CelList, CelMap, CelUint, type CelValue } from "./value.ts";

/**
 * A list that grows at its end without being copied: the items are shared with the longer lists made from it,
 * and each list sees only its own. Macros make lists item by item.
 */
export class ArrayList extends CelList {
  readonly size: number;
  readonly #items: CelValue[];

  /** @param items belong to the list from now on */
  constructor(items: CelValue[], size = items.length) {
    super();
    this.#items = items;
    this.size = size;
  }

  at(index: number): CelValue {
    return this.#items[index] ?? null;
  }

  /** Whether this is the list of the largest size that shares the items, so that another one can be added without a copy. */
  get isMaxSize(): boolean {
    return this.#items.length === this.size;
  }

  /** Only where `isMaxSize` holds: elsewhere the item would come after those of the longer lists. */
  append(item: CelValue): ArrayList {
    this.#items.push(item);
    return new ArrayList(this.#items);
  }
}

/** Two lists one after the other, neither of them copied. */
class JoinedList extends CelList {
  readonly size: number;
  /** How many lists an item is looked for in. */
  readonly depth: number;
  readonly #left: CelList;
  readonly #right: CelList;

  constructor(left: CelList, right: CelList) {
    super();
    this.#left = left;
    this.#right = right;
    this.size = left.size + right.size;
    this.depth = Math.max(depthOf(left), depthOf(right)) + 1;
  }

  at(index: number): CelValue {
    return index < this.#left.size ? this.#left.at(index) : this.#right.at(index - this.#left.size);
  }
}

const depthOf = (list: CelList) => (list instanceof JoinedList ? list.depth : 0);
const maxJoinDepth = 8;

/** In constant time, but for every eighth one. */
export function concatLists(left: CelList, right: CelList): CelList {
  if (left.plus !== undefined) return left.plus(right);
  if (right.size === 0) return left;
  if (left.size === 0) return right.size === 1 ? new ArrayList([right.at(0)]) : right;
  if (right.size === 1 && left instanceof ArrayList && left.isMaxSize) return left.append(right.at(0));
  const joined = new JoinedList(left, right);
  return joined.depth > maxJoinDepth ? new ArrayList([...joined]) : joined;
}

interface Entry {
  readonly index: number;
  readonly key: CelValue;
  readonly value: CelValue;
}

/** A map that grows as `ArrayList` does. */
export class EntriesMap extends CelMap {
  readonly size: number;
  readonly #entries: Map<MapKey, Entry>;

  /** @param entries belong to the map from now on, in the order of their indexes */
  private constructor(entries: Map<MapKey, Entry>) {
    super();
    this.#entries = entries;
    this.size = entries.size;
  }

  /** Of entries with the same key, the last one wins. @throws CelError for a key of a type that no key may have */
  static of(entries: Iterable<readonly [CelValue, CelValue]>): EntriesMap {
    const table = new Map<MapKey, Entry>();
    for (const [key, value] of entries) {
      const canonical = neededKey(key);
      table.set(canonical, { index: table.get(canonical)?.index ?? table.size, key, value });
    }
    return new EntriesMap(table);
  }

  get(key: CelValue): CelValue | undefined {
    const canonical = mapKey(key);
    const entry = canonical === undefined ? undefined : this.#entries.get(canonical);
    return entry && entry.index < this.size ? entry.value : undefined;
  }

  *keys(): Generator<CelValue> {
    for (const { index, key } of this.#entries.values()) {
      if (index >= this.size) return;
      yield key;
    }
  }

  /** @throws CelError when the key is there already */
  insert(key: CelValue, value: CelValue): EntriesMap {
    const canonical = neededKey(key);
    if (this.get(key) !== undefined) throw new CelError(`insert failed: key ${String(canonical)} already exists`);
    if (this.#entries.size !== this.size) return EntriesMap.of([...entriesOf(this), [key, value]]);
    this.#entries.set(canonical, { index: this.size, key, value });
    return new EntriesMap(this.#entries);
  }
}

/**
 * Returns the map with one more entry, at its end; the map itself stays as it is. In constant time for the newest of the
 * maps that were made from one another, else in time linear in the entries.
 * @throws CelError when the map has an equal key (1, 1u and 1.0 are equal), or for a key of a type that no key may have
 */
export const insertInto = (map: CelMap, key: CelValue, value: CelValue): CelMap =>
  (map instanceof EntriesMap ? map : EntriesMap.of(entriesOf(map))).insert(key, value);

/** Yields the entries of a map in its order. */
export function* entriesOf(map: CelMap): Generator<[CelValue, CelValue]> {
  for (const key of map.keys()) yield [key, map.get(key) ?? null];
}

/** What equal keys have in common: 1, 1u and 1.0 are all `1n`. */
export type MapKey = string | boolean | bigint | number;

/** Undefined for what no map has as a key. */
export function mapKey(value: CelValue): MapKey | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      if (Number.isInteger(value)) return BigInt(value);
      return Number.isNaN(value) ? undefined : value;
    default:
      return value instanceof CelUint ? value.value : undefined;
  }
}

function neededKey(key: CelValue): MapKey {
  const canonical = mapKey(key);
  if (canonical === undefined) throw new CelError("unsupported key type");
  return canonical;
}
