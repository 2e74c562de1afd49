/**
 * Values that may be absent: `a.?b`, `a[?k]`, and what one can do with them.
 * @see https://github.com/google/cel-spec/wiki/proposal-246
 */

import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { type Expr, operators } from "../syntax/ast.ts";
import { type ExprFactory, type Macro, MacroError } from "../syntax/macro.ts";
import { needed } from "../syntax/macros.ts";
import { boolType, dynType, listOf, optionalOf, stringType, typeOfTypes, typeParam } from "../types/type.ts";
import { selectOptional } from "../values/attribute.ts";
import { ArrayList } from "../values/collections.ts";
import { asInstance } from "../values/typed.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "../values/value.ts";

const v = typeParam("V");
const optionalV = optionalOf(v);
const listOfV = listOf(v);
const asOptional = asInstance(CelOptional);
const asList = asInstance(CelList);
const none = new CelOptional(undefined);

const unwrap: CelOverload["call"] = ([list]) => new ArrayList([...asList(list)].flatMap((item) => asOptional(item).value ?? []));

/**
 * Optional values and the syntax for them.
 * @see https://github.com/google/cel-spec/wiki/proposal-246
 */
export const optionals: CelLibrary = {
  name: "optional",
  constants: new Map([["optional_type", { type: typeOfTypes(optionalOf(dynType)), value: new CelTypeValue("optional_type") }]]),
  macros: [optionalMacro("optMap", true), optionalMacro("optFlatMap", false)],
  functions: functionsOf({
    "optional.of": [plain("optional_of", [v], optionalV, ([value]) => new CelOptional(value))],
    "optional.ofNonZeroValue": [
      plain("optional_ofNonZeroValue", [v], optionalV, ([value = null]) => (isZero(value) ? none : new CelOptional(value))),
    ],
    "optional.none": [plain("optional_none", [], optionalV, () => none)],
    "optional.unwrap": [plain("optional_unwrap", [listOf(optionalV)], listOfV, unwrap)],
    unwrapOpt: [method("optional_unwrapOpt", [listOf(optionalV)], listOfV, unwrap)],
    value: [method("optional_value", [optionalV], v, ([optional]) => dereference(asOptional(optional)))],
    hasValue: [method("optional_hasValue", [optionalV], boolType, ([optional]) => asOptional(optional).value !== undefined)],
    or: [
      method("optional_or_optional", [optionalV, optionalV], optionalV, ([a, b]) =>
        asOptional(a).value === undefined ? asOptional(b) : asOptional(a),
      ),
    ],
    orValue: [method("optional_orValue_value", [optionalV, v], v, ([a, b = null]) => asOptional(a).value ?? b)],
    first: [method("list_first", [listOfV], optionalV, ([list]) => selectOptional(asList(list), 0n))],
    last: [method("list_last", [listOfV], optionalV, ([list]) => selectOptional(asList(list), BigInt(asList(list).size) - 1n))],
    [operators.optionalSelect]: [
      plain("select_optional_field", [dynType, stringType], optionalV, ([value = null, field = null]) => selectOptional(value, field)),
    ],
  }),
};

function dereference({ value }: CelOptional): CelValue {
  if (value === undefined) throw new CelError("optional.none() dereference");
  return value;
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === "") return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof CelDuration || value instanceof CelTimestamp) return value.nanos === 0n;
  return value instanceof Uint8Array && value.length === 0;
}

/** `o.optMap(x, f)`: what `f` makes of the value, if there is one. */
function optionalMacro(name: string, wrap: boolean): Macro {
  const expand = (make: ExprFactory, target: Expr | undefined, [variable, mapped]: readonly Expr[]): Expr => {
    const optional = needed(target);
    const x = needed(variable);
    if (x.kind !== "ident") throw new MacroError(x.id, `${name}() variable name must be a simple identifier`);
    const test = make.memberCall("hasValue", optional);
    const bound = bind(make, x.name, make.memberCall("value", make.copy(optional)), needed(mapped));
    return make.call(operators.conditional, test, wrap ? make.call("optional.of", bound) : bound, make.call("optional.none"));
  };
  return { function: name, member: true, argumentCount: 2, expand };
}

/** A fold over nothing, which leaves its accumulator as it was: a variable. */
export const bind = (make: ExprFactory, name: string, value: Expr, within: Expr): Expr =>
  make.comprehension({
    iterRange: make.list(),
    iterVar: "#unused",
    accuVar: name,
    accuInit: value,
    loopCondition: make.literal(false),
    loopStep: make.ident(name),
    result: within,
  });
