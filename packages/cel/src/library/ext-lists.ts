/** What CEL itself adds to lists. @see https://github.com/google/cel-go/tree/master/ext#lists */

import { intAt, listAt } from "../define/argument.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary } from "../environment/library.ts";
import { type Macro, MacroError } from "../syntax/macro.ts";
import { collect, loopName, needed } from "../syntax/macros.ts";
import { dynType, intType, listOf, typeParam } from "../types/type.ts";
import { ArrayList } from "../values/collections.ts";
import { compareValues } from "../values/order.ts";
import { CelError, CelList, type CelValue } from "../values/value.ts";
import { typeOfValue } from "../values/value-type.ts";
import { comparableTypes } from "./comparable.ts";
import { distinctCost, flattenCost, rangeCost, reverseCost, sliceCost, sortCost } from "./ext-lists-cost.ts";
import { ListView } from "./list-view.ts";
import { ValueSet } from "./value-set.ts";

const list = listOf(typeParam("T"));
const anyList = listOf(dynType);
const sortByKeys = "@sortByAssociatedKeys";

const sortBy: Macro = {
  function: "sortBy",
  member: true,
  argumentCount: 2,
  expand: (make, target, [name, key]) => {
    const range = needed(target);
    if (!["list", "select", "ident", "comprehension", "call"].includes(range.kind)) {
      throw new MacroError(range.id, "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
    }
    const input = "@__sortBy_input__";
    const loop = { range: make.ident(input), names: { iterVar: loopName(make, name, "argument is not an identifier") } };
    const keys = collect(make, loop, needed(key));
    return make.comprehension({
      iterRange: make.list(),
      iterVar: "#unused",
      accuVar: input,
      accuInit: range,
      loopCondition: make.literal(false),
      loopStep: make.ident(input),
      result: make.memberCall(sortByKeys, make.ident(input), keys),
    });
  },
};

export const extLists: CelLibrary = {
  name: "cel.lib.ext.lists",
  macros: [sortBy],
  functions: functionsOf({
    slice: [{ ...method("list_slice", [list, intType, intType], list, slice), ...sliceCost }],
    flatten: [
      { ...method("list_flatten", [listOf(list)], list, (args) => flatten(listAt(args, 0), 1n)), ...flattenCost },
      { ...method("list_flatten_int", [anyList, intType], anyList, (args) => flatten(listAt(args, 0), intAt(args, 1))), ...flattenCost },
    ],
    sort: comparableTypes.map(([name, type]) => ({
      ...method(`list_${name}_sort`, [listOf(type)], listOf(type), (args) => sort(listAt(args, 0), listAt(args, 0))),
      ...sortCost(type, 0),
    })),
    [sortByKeys]: comparableTypes.map(([name, type]) => ({
      ...method(`list_${name}_sortByAssociatedKeys`, [list, listOf(type)], list, (args) => sort(listAt(args, 0), listAt(args, 1))),
      ...sortCost(type, 1),
    })),
    "lists.range": [{ ...plain("lists_range", [intType], listOf(intType), (args) => range(intAt(args, 0))), ...rangeCost }],
    reverse: [{ ...method("list_reverse", [list], list, (args) => reverse(listAt(args, 0))), ...reverseCost }],
    distinct: [{ ...method("list_distinct", [list], list, (args) => distinct(listAt(args, 0))), ...distinctCost }],
  }),
};

function slice(args: readonly CelValue[]): CelList {
  const items = listAt(args, 0);
  const [start, end] = [intAt(args, 1), intAt(args, 2)];
  const fail = (problem: string) => new CelError(`cannot slice(${start}, ${end}), ${problem}`);
  if (start < 0n || end < 0n) throw fail("negative indexes not supported");
  if (start > end) throw fail("start index must be less than or equal to end index");
  if (end > items.size) throw fail(`list is length ${items.size}`);
  return new ListView(Number(end - start), (index) => items.at(Number(start) + index));
}

function flatten(items: CelList, depth: bigint): CelList {
  if (depth < 0n) throw new CelError("level must be non-negative");
  return new ArrayList([...flat(items, depth)]);
}

function* flat(items: CelList, depth: bigint): Generator<CelValue> {
  for (const item of items) {
    if (item instanceof CelList && depth > 0n) yield* flat(item, depth - 1n);
    else yield item;
  }
}

/** By keys of one type; equal ones stay in their order. */
function sort(items: CelList, keys: CelList): CelList {
  if (items.size !== keys.size) {
    throw new CelError(
      `${sortByKeys}() expected a list of the same size as the associated keys list, but got ${items.size} and ${keys.size} elements respectively`,
    );
  }
  const kinds = new Set(Array.from(keys, (key) => typeOfValue(key).kind));
  if (kinds.size > 1) throw new CelError("list elements must have the same type");
  if (kinds.size === 1 && !comparableTypes.some(([, type]) => kinds.has(type.kind))) throw new CelError("list elements must be comparable");
  const order = Array.from({ length: items.size }, (_, index) => index);
  order.sort((a, b) => compareValues(keys.at(a), keys.at(b)));
  return new ArrayList(order.map((index) => items.at(index)));
}

/** However long, it takes no space. */
const range = (count: bigint): CelList => new ListView(Math.max(0, Number(count)), BigInt);

const reverse = (items: CelList): CelList => new ListView(items.size, (index) => items.at(items.size - 1 - index));

function distinct(items: CelList): CelList {
  const known = new ValueSet();
  return new ArrayList([...items].filter((item) => known.add(item)));
}
