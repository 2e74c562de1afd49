/** How lists merge under a strategic merge patch, and in which order the result stands. */

import { failure, unexplained } from "../errors/status.ts";
import { formatGoString, formatGoValue, goTypeOf } from "../go/value.ts";
import { isObject, type JsonObject } from "../values/json-object.ts";

/** How one list merges. Without `merge` it is replaced; without `mergeKey` its items are their own keys. */
export interface ListStrategy {
  readonly merge: boolean;
  readonly mergeKey: string | undefined;
  /** What Go calls the items, in the message about a missing `mergeKey`. */
  readonly itemKind: string;
  mergeItems(original: Readonly<JsonObject>, patch: Readonly<JsonObject>): JsonObject;
}

type List = readonly unknown[];

const mapType = "map[string]interface {}";

/** Items of the patch come in the patch's order, new ones as early as possible; the others keep their places. */
export function mergeLists(original: List, patch: List, strategy: ListStrategy): List {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementTypeOf(original, patch) !== mapType) return orderItems([...new Set([...original, ...patch])], patch, original, strategy);
  if (strategy.mergeKey === undefined) throw unexplained(`cannot merge lists without merge key for ${strategy.itemKind}`);
  const { kept, changes } = applyElementDirectives(original, patch, strategy.mergeKey);
  return orderItems(mergeByKey(kept, changes, strategy, strategy.mergeKey), changes, kept, strategy);
}

/** For `$deleteFromPrimitiveList`; on objects, that directive merges like any list. */
export function deleteItems(original: List, patch: List, strategy: ListStrategy): List {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementTypeOf(original, patch) === mapType) return mergeLists(original, patch, strategy);
  const unwanted = new Set(patch);
  return original.filter((item) => !unwanted.has(item));
}

/** What Go calls the type that all items share. @throws when they do not, are lists or there are none */
export function elementTypeOf(original: List, patch: List): string {
  let shared: string | undefined;
  for (const item of [...original, ...patch]) {
    if (shared === undefined && Array.isArray(item))
      throw failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
    const type = goTypeOf(item);
    if (item === null || (shared !== undefined && type !== shared))
      throw unexplained(`list element types are not identical: ${formatGoValue([original, patch])}`);
    shared = type;
  }
  if (shared === undefined) throw unexplained("no elements in any of the given slices");
  return shared;
}

/** `$patch` in items: `delete` removes those of the same key, `replace` drops the whole original. */
function applyElementDirectives(original: List, patch: List, mergeKey: string): { kept: List; changes: List } {
  const changes: unknown[] = [];
  const deleted = new Set<unknown>();
  let replaced = false;
  for (const item of patch) {
    if (!isObject(item) || !Object.hasOwn(item, "$patch")) changes.push(item);
    else if (item.$patch === "delete") deleted.add(keyOf(item, mergeKey));
    else if (item.$patch === "replace") replaced = true;
    else if (item.$patch === "merge") throw unexplained("merging lists cannot yet be specified in the patch");
    else throw unexplained(`unknown patch type: ${formatGoString(item.$patch)} in map: ${formatGoValue(item)}`);
  }
  if (replaced) return { kept: changes, changes: [] };
  return { kept: deleted.size === 0 ? original : original.filter((item) => !hasKeyIn(item, mergeKey, deleted)), changes };
}

const hasKeyIn = (item: unknown, mergeKey: string, keys: ReadonlySet<unknown>): boolean =>
  isObject(item) && Object.hasOwn(item, mergeKey) && keys.has(item[mergeKey]);

/** New items come last and as they are, with what they hold of directives and nulls. */
function mergeByKey(original: List, patch: List, strategy: ListStrategy, mergeKey: string): unknown[] {
  const result = [...original];
  const places = new Map<unknown, number>();
  for (const [i, item] of result.entries())
    if (isObject(item) && Object.hasOwn(item, mergeKey) && !places.has(item[mergeKey])) places.set(item[mergeKey], i);
  for (const item of patch) {
    const key = keyOf(item, mergeKey);
    const place = places.get(key) ?? result.length;
    const current = result[place];
    places.set(key, place);
    result[place] = isObject(current) && isObject(item) ? strategy.mergeItems(current, item) : item;
  }
  return result;
}

/** Items that `order` names follow it, the others follow `serverOrder`; where both lists meet, `serverOrder` decides. */
export function orderItems(items: List, order: List, serverOrder: List, { mergeKey }: ListStrategy): List {
  const inOrder = ranksOf(order, mergeKey);
  const inServerOrder = ranksOf(serverOrder, mergeKey);
  const keyed = items.map((item) => ({ item, key: keyOf(item, mergeKey) }));
  const named = sortByRank(
    keyed.filter(({ key }) => inOrder.has(key)),
    inOrder,
  );
  const others = sortByRank(
    keyed.filter(({ key }) => !inOrder.has(key)),
    inServerOrder,
  );
  return interleave(others, named, inServerOrder).map(({ item }) => item);
}

/** The order that `$setElementOrder` falls back on: in Kubernetes, new items take the places that deletions free at the end. */
export function serverOrderOf(original: List, patch: List, { merge, mergeKey }: ListStrategy): List {
  if (!merge || mergeKey === undefined) return original;
  const { kept, changes } = applyElementDirectives(original, patch, mergeKey);
  const known = new Set(kept.map((item) => keyOf(item, mergeKey)));
  const added = changes.filter((item) => known.size < known.add(keyOf(item, mergeKey)).size);
  return [...kept, ...added].slice(0, original.length);
}

interface Keyed {
  readonly item: unknown;
  readonly key: unknown;
}

type Ranks = ReadonlyMap<unknown, number>;

function ranksOf(list: List, mergeKey: string | undefined): Ranks {
  const ranks = new Map<unknown, number>();
  for (const [i, item] of list.entries()) {
    const key = keyOf(item, mergeKey);
    if (!ranks.has(key)) ranks.set(key, i);
  }
  return ranks;
}

const rankOf = (ranks: Ranks, key: unknown): number => ranks.get(key) ?? ranks.size;

const sortByRank = (items: readonly Keyed[], ranks: Ranks): readonly Keyed[] =>
  items.toSorted((a, b) => rankOf(ranks, a.key) - rankOf(ranks, b.key));

/** An item of `left` goes before the first of `right` that the server has after it. */
function interleave(left: readonly Keyed[], right: readonly Keyed[], ranks: Ranks): readonly Keyed[] {
  const result: Keyed[] = [];
  let next = 0;
  for (const item of right) {
    const limit = ranks.get(item.key) ?? -1;
    for (let other = left[next]; other !== undefined && (ranks.get(other.key) ?? limit) < limit; other = left[++next]) result.push(other);
    result.push(item);
  }
  return [...result, ...left.slice(next)];
}

/** The patch may only name what `$setElementOrder` names, in that order; deletions are free. */
export function checkElementOrder(patch: List, order: List, { mergeKey }: ListStrategy): void {
  if (patch.length === 0 || order.length === 0) return;
  const hasDirective = (item: unknown): item is JsonObject => isObject(item) && Object.hasOwn(item, "$patch");
  const expected = mergeKey === undefined ? patch : patch.filter((item) => !(hasDirective(item) && item.$patch === "delete"));
  let place = 0;
  for (let i = 0; i < order.length && place < expected.length; ) {
    if (hasDirective(expected[place])) place++;
    else if (keyOf(expected[place], mergeKey) === keyOf(order[i++], mergeKey)) place++;
  }
  if (place < expected.length)
    throw unexplained(
      `The order in patch list:\n${formatGoValue(patch)}\n doesn't match $setElementOrder list:\n${formatGoValue(order)}\n`,
    );
}

function keyOf(item: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey === undefined) return item;
  if (!isObject(item)) throw unexplained(`expected a ${mapType}, but received a ${goTypeOf(item)}`);
  if (!Object.hasOwn(item, mergeKey)) throw unexplained(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  return item[mergeKey];
}
