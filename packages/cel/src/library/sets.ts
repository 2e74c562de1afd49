/** Lists as sets: the order and repetitions of items do not matter. @see https://github.com/google/cel-go/tree/master/ext#sets */
import { exactly, plus, scaled, times } from "../cost/bounds.ts";
import { listAt } from "../define/argument.ts";
import { type Cost, nothing, sizeOf } from "../define/call-cost.ts";
import { functionsOf, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, listOf, typeParam } from "../types/type.ts";
import type { CelList } from "../values/value.ts";
import { ValueSet } from "./value-set.ts";

export const sets: CelLibrary = {
  name: "cel.lib.ext.sets",
  functions: functionsOf({
    "sets.contains": [compares("contains", contains, 1)],
    "sets.equivalent": [compares("equivalent", (a, b) => contains(a, b) && contains(b, a), 2)],
    "sets.intersects": [compares("intersects", intersects, 1)],
  }),
};

function compares(name: string, question: (a: CelList, b: CelList) => boolean, passes: number): CelOverload {
  const list = listOf(typeParam("T"));
  return {
    ...plain(`list_sets_${name}_list`, [list, list], boolType, (args) => question(listAt(args, 0), listAt(args, 1))),
    ...pairs(passes),
  };
}

function contains(list: CelList, part: CelList): boolean {
  const known = new ValueSet(list);
  for (const item of part) if (!known.has(item)) return false;
  return true;
}

function intersects(a: CelList, b: CelList): boolean {
  const known = new ValueSet(b);
  for (const item of a) if (known.has(item)) return true;
  return false;
}

/** Every item of the one is compared with every item of the other. */
function pairs(passes: number): Cost {
  return {
    cost: ([a, b]) => 1 + sizeOf(a) * sizeOf(b) * passes,
    estimate: ([a = nothing, b = nothing]) => ({ cost: plus(scaled(times(a, b), passes), exactly(1)) }),
  };
}
