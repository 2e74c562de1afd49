/** How lists whose items have keys merge, and in which order the result stands. */
import { itemSignature } from "../schema/list-items.ts";
import type { MergeList, MergeSchema } from "../schema/merge-schema.ts";

/**
 * Items of the configuration keep its order, and the others theirs; where the two orders meet, an item that both have is
 * the landmark: what stood before it in the live list comes first.
 */
export function mergeLists(
  list: MergeList,
  live: readonly unknown[],
  applied: readonly unknown[],
  mergeItem: (schema: MergeSchema, live: unknown, applied: unknown) => unknown,
): readonly unknown[] {
  const left = indexItems(list, live);
  const right = indexItems(list, applied);
  const shared = right.keys.filter((key) => left.items.has(key));
  const done = new Set<string>();
  const result: unknown[] = [];
  let landmark = 0;
  const take = (at: number): void => {
    const key = right.keys[at] ?? "";
    result.push(mergeItem(list.item, left.items.get(key), right.items.get(key)));
    done.add(key);
    if (key === shared[landmark]) landmark++;
  };
  for (let l = 0, r = 0; l < live.length || r < applied.length; ) {
    const key = left.keys[l];
    if (key !== undefined && !right.items.has(key)) result.push(live[l++]);
    else if (key !== undefined && r < applied.length && key === right.keys[r]) {
      take(r++);
      l++;
    } else if (key !== undefined && r < applied.length && landmark < shared.length && key !== shared[landmark]) l++;
    else {
      if (key !== undefined && done.has(key)) l++;
      if (r < applied.length) take(r++);
    }
  }
  return result.length === live.length && result.every((item, i) => item === live[i]) ? live : result;
}

interface Indexed {
  readonly keys: readonly string[];
  /** Null for items that share a key: nothing merges with those. */
  readonly items: ReadonlyMap<string, unknown>;
}

function indexItems(list: MergeList, values: readonly unknown[]): Indexed {
  const keys: string[] = [];
  const items = new Map<string, unknown>();
  for (const value of values) {
    const key = itemSignature(list, value);
    keys.push(key);
    items.set(key, items.has(key) ? null : value);
  }
  return { keys, items };
}
