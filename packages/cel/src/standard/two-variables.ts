/** Macros with two variables: a list's index and item, a map's key and value. */

import { functionsOf, plain } from "../define/declare.ts";
import type { CelLibrary } from "../environment/library.ts";
import type { Expr } from "../syntax/ast.ts";
import { type ExprFactory, type Macro, MacroError } from "../syntax/macro.ts";
import { all, collect, exists, existsOne, gather, type Loop, type LoopNames, loopName, needed } from "../syntax/macros.ts";
import { mapOf, typeParam } from "../types/type.ts";
import { entriesOf, insertInto } from "../values/collections.ts";
import { asInstance } from "../values/typed.ts";
import { CelMap } from "../values/value.ts";

const insert = "cel.@mapInsert";
const asMap = asInstance(CelMap);
const [k, v] = [typeParam("K"), typeParam("V")];
const mapKV = mapOf(k, v);

/** @param expand with the arguments behind the two names */
const macro = (
  name: string,
  argumentCount: number,
  expand: (make: ExprFactory, range: Expr, names: Names, rest: readonly Expr[]) => Expr,
): Macro => ({
  function: name,
  member: true,
  argumentCount,
  expand: (make, target, [first, second, ...rest]) => expand(make, needed(target), loopNames(make, first, second), rest),
});

type Names = Required<LoopNames>;

/**
 * Comprehensions with a variable for the index or key and one for the value.
 * @see https://github.com/google/cel-go/tree/master/ext#twovarcomprehensions
 */
export const twoVariables: CelLibrary = {
  name: "two-variable comprehensions",
  macros: [
    macro("all", 3, (make, range, names, [test]) => all(make, range, names, needed(test))),
    macro("exists", 3, (make, range, names, [test]) => exists(make, range, names, needed(test))),
    macro("existsOne", 3, (make, range, names, [test]) => existsOne(make, range, names, needed(test))),
    macro("exists_one", 3, (make, range, names, [test]) => existsOne(make, range, names, needed(test))),
    macro("transformList", 3, (make, range, names, [item]) => collect(make, { range, names }, needed(item))),
    macro("transformList", 4, (make, range, names, [test, item]) => collect(make, { range, names, test: needed(test) }, needed(item))),
    macro("transformMap", 3, (make, range, names, [value]) => transformMap(make, { range, names }, needed(value))),
    macro("transformMap", 4, (make, range, names, [test, value]) =>
      transformMap(make, { range, names, test: needed(test) }, needed(value)),
    ),
    macro("transformMapEntry", 3, (make, range, names, [entry]) => transformMapEntry(make, { range, names }, needed(entry))),
    macro("transformMapEntry", 4, (make, range, names, [test, entry]) =>
      transformMapEntry(make, { range, names, test: needed(test) }, needed(entry)),
    ),
  ],
  functions: functionsOf({
    [insert]: [
      plain("@mapInsert_map_key_value", [mapKV, k, v], mapKV, ([map, key = null, value = null]) => insertInto(asMap(map), key, value)),
      plain("@mapInsert_map_map", [mapKV, mapKV], mapKV, ([map, more]) => {
        let grown = asMap(map);
        for (const [key, value] of entriesOf(asMap(more))) grown = insertInto(grown, key, value);
        return grown;
      }),
    ],
  }),
};

function transformMap(make: ExprFactory, loop: Loop, value: Expr): Expr {
  return gather(make, loop, make.map(), make.call(insert, make.ident(make.accumulator), make.ident(loop.names.iterVar), value));
}

function transformMapEntry(make: ExprFactory, loop: Loop, entry: Expr): Expr {
  return gather(make, loop, make.map(), make.call(insert, make.ident(make.accumulator), entry));
}

function loopNames(make: ExprFactory, first: Expr | undefined, second: Expr | undefined): Names {
  const names = { iterVar: loopName(make, first), iterVar2: loopName(make, second) };
  if (names.iterVar === names.iterVar2) throw new MacroError(needed(second).id, `duplicate variable name: ${names.iterVar}`);
  return names;
}
