/**
 * Expressions after parsing and the expansion of macros: every node has an id, by which positions, types and
 * references are kept beside the tree. The shapes are those of the specification, so that costs come out alike.
 * @see https://github.com/google/cel-spec/blob/master/proto/cel/expr/syntax.proto
 */
import type { CelType } from "../types/type.ts";
import type { CelUint, CelValue } from "../values/value.ts";

/** A node of an expression's syntax tree. Ids are unique within the expression. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

/** A constant in the source. */
export interface Literal {
  readonly kind: "literal";
  readonly id: number;
  readonly value: null | boolean | bigint | number | string | Uint8Array | CelUint;
}

/** After checking, the full name of the variable, constant or type. */
export interface Ident {
  readonly kind: "ident";
  readonly id: number;
  readonly name: string;
}

/** An access of a field: `a.b`, or `has(a.b)`. */
export interface Select {
  readonly kind: "select";
  readonly id: number;
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly testOnly: boolean;
}

/** Operators are calls too, by the names in `operators`. After checking, `a.b.f(x)` has no target when `a.b.f` is a function. */
export interface Call {
  readonly kind: "call";
  readonly id: number;
  readonly function: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** A list in the source: `[a, ?b]`. */
export interface ListExpr {
  readonly kind: "list";
  readonly id: number;
  readonly elements: readonly Expr[];
  /** Indexes of the elements written `?x`. */
  readonly optional: ReadonlySet<number>;
}

/** A map in the source: `{a: b, ?c: d}`. */
export interface MapExpr {
  readonly kind: "map";
  readonly id: number;
  readonly entries: readonly MapEntry[];
}

/** One entry of a map in the source. */
export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** An object of a named type in the source: `Type{field: value}`. */
export interface StructExpr {
  readonly kind: "struct";
  readonly id: number;
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** One field of an object in the source. */
export interface StructField {
  readonly id: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** What macros become: a fold over a list's items or a map's keys. */
export interface Comprehension {
  readonly kind: "comprehension";
  readonly id: number;
  readonly iterRange: Expr;
  /** With `iterVar2`, an index or a key; else an item or a key. */
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly loopCondition: Expr;
  readonly loopStep: Expr;
  readonly result: Expr;
}

/** The functions behind the operators. */
export const operators = {
  conditional: "_?_:_",
  and: "_&&_",
  or: "_||_",
  not: "!_",
  equals: "_==_",
  notEquals: "_!=_",
  less: "_<_",
  lessEquals: "_<=_",
  greater: "_>_",
  greaterEquals: "_>=_",
  add: "_+_",
  subtract: "_-_",
  multiply: "_*_",
  divide: "_/_",
  modulo: "_%_",
  negate: "-_",
  index: "_[_]",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  in: "@in",
  notStrictlyFalse: "@not_strictly_false",
} as const;

/** What a name stands for, or which overloads a call may run. */
export type Reference =
  | { readonly kind: "ident"; readonly name: string; readonly value?: CelValue }
  | { readonly kind: "function"; readonly overloads: readonly string[] };

/** A call that a macro has taken, as it was written; by the id of the node that replaced it. */
export type MacroCalls = ReadonlyMap<number, Call>;

/** A syntax tree with the type of each node, and what names and calls refer to. */
export interface CheckedAst {
  readonly expr: Expr;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly macroCalls: MacroCalls;
}

/** The expressions directly within one, in the order in which they are written. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.iterRange, expr.accuInit, expr.loopCondition, expr.loopStep, expr.result];
  }
}

/** `a.b.c` where an expression is nothing but names. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
