/**
 * The macros of the specification.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
 */
import { type Expr, operators } from "./ast.ts";
import { type ExprFactory, type Macro, MacroError } from "./macro.ts";

const member = (name: string, argumentCount: number, expand: Macro["expand"]): Macro => ({
  function: name,
  member: true,
  argumentCount,
  expand,
});

export const standardMacros: readonly Macro[] = [
  { function: "has", member: false, argumentCount: 1, expand: (make, _, [field]) => presence(make, field) },
  member("all", 2, (make, range, [name, test]) => all(make, needed(range), { iterVar: loopName(make, name) }, needed(test))),
  member("exists", 2, (make, range, [name, test]) => exists(make, needed(range), { iterVar: loopName(make, name) }, needed(test))),
  member("exists_one", 2, (make, range, [name, test]) => existsOne(make, needed(range), { iterVar: loopName(make, name) }, needed(test))),
  member("map", 2, (make, range, [name, item]) =>
    collect(make, { range: needed(range), names: { iterVar: itemName(make, name) } }, needed(item)),
  ),
  member("map", 3, (make, range, [name, test, item]) =>
    collect(make, { range: needed(range), names: { iterVar: itemName(make, name) }, test: needed(test) }, needed(item)),
  ),
  member("filter", 2, (make, range, [name, test]) =>
    collect(make, { range: needed(range), names: { iterVar: itemName(make, name) }, test: needed(test) }, needed(name)),
  ),
];

/** The names that a macro gives to what it goes through. */
export interface LoopNames {
  readonly iterVar: string;
  readonly iterVar2?: string;
}

/** What a macro goes through, and which of it counts. */
export interface Loop {
  readonly range: Expr;
  readonly names: LoopNames;
  /** Everything counts without one. */
  readonly test?: Expr;
}

export function all(make: ExprFactory, range: Expr, names: LoopNames, test: Expr): Expr {
  const accu = () => make.ident(make.accumulator);
  return make.comprehension({
    iterRange: range,
    ...names,
    accuVar: make.accumulator,
    accuInit: make.literal(true),
    loopCondition: make.call(operators.notStrictlyFalse, accu()),
    loopStep: make.call(operators.and, accu(), test),
    result: accu(),
  });
}

export function exists(make: ExprFactory, range: Expr, names: LoopNames, test: Expr): Expr {
  const accu = () => make.ident(make.accumulator);
  return make.comprehension({
    iterRange: range,
    ...names,
    accuVar: make.accumulator,
    accuInit: make.literal(false),
    loopCondition: make.call(operators.notStrictlyFalse, make.call(operators.not, accu())),
    loopStep: make.call(operators.or, accu(), test),
    result: accu(),
  });
}

export function existsOne(make: ExprFactory, range: Expr, names: LoopNames, test: Expr): Expr {
  const accu = () => make.ident(make.accumulator);
  return make.comprehension({
    iterRange: range,
    ...names,
    accuVar: make.accumulator,
    accuInit: make.literal(0n),
    loopCondition: make.literal(true),
    loopStep: make.call(operators.conditional, test, make.call(operators.add, accu(), make.literal(1n)), accu()),
    result: make.call(operators.equals, accu(), make.literal(1n)),
  });
}

/** A list of `item` for each that passes the test. */
export function collect(make: ExprFactory, loop: Loop, item: Expr): Expr {
  const step = make.call(operators.add, make.ident(make.accumulator), make.list(item));
  return gather(make, loop, make.list(), step);
}

/** The steps of those that pass the test, one after another. */
export function gather(make: ExprFactory, { range, names, test }: Loop, empty: Expr, step: Expr): Expr {
  return make.comprehension({
    iterRange: range,
    ...names,
    accuVar: make.accumulator,
    accuInit: empty,
    loopCondition: make.literal(true),
    loopStep: test ? make.call(operators.conditional, test, step, make.ident(make.accumulator)) : step,
    result: make.ident(make.accumulator),
  });
}

/** @throws MacroError when it is no simple name, or one that macros need themselves */
export function loopName(make: ExprFactory, expr: Expr | undefined, complaint = "argument must be a simple name"): string {
  const name = needed(expr);
  if (name.kind !== "ident") throw new MacroError(name.id, complaint);
  if (name.name === make.accumulator || name.name === "__result__")
    throw new MacroError(name.id, "iteration variable overwrites accumulator variable");
  return name.name;
}

/** What the count of arguments has made sure of. */
export function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError("a macro without its arguments");
  return value;
}

const itemName = (make: ExprFactory, expr: Expr | undefined) => loopName(make, expr, "argument is not an identifier");

function presence(make: ExprFactory, field: Expr | undefined): Expr {
  const select = needed(field);
  if (select.kind !== "select") throw new MacroError(select.id, "invalid argument to has() macro");
  return make.presenceTest(select.operand, select.field);
}
