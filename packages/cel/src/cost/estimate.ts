/**
 * What an expression may cost at least and at most, before it is ever evaluated. Kubernetes refuses rules whose
 * worst case is too expensive, so that the numbers must be the same as its own.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#resource-constraints
 */

import type { CelLibrary, CelOverload, CostEstimate, EstimatedArgument, SizeBounds } from "../environment/library.ts";
import type { Call, CheckedAst, Comprehension, Expr, ListExpr, MapExpr, Select } from "../syntax/ast.ts";
import { type CelType, dynType } from "../types/type.ts";
import { either, exactly, listCost, mapCost, messageCost, plus, saturated, times, unbounded, unknownSize } from "./bounds.ts";
import { type EntrySize, eitherEntries, type LocalVariable, type Path, Scopes } from "./scope.ts";
import { literalSize, typeSize } from "./size.ts";
import { standardEstimates } from "./standard.ts";

/** How large a value may be; undefined when nothing is known. */
export type SizeProvider = (path: Path, type: CelType) => SizeBounds | undefined;

/** Whose functions an estimator knows, and what tests of presence cost. */
export interface CostEstimatorOptions {
  readonly libraries: readonly CelLibrary[];
  /** What `has(…)` costs beside its operand. 0, as in Kubernetes. */
  readonly presenceTestCost?: 0 | 1;
}

/** From 0 to 2^64, which stands for what is larger. */
export type CostEstimator = (ast: CheckedAst, sizes: SizeProvider) => SizeBounds;

/**
 * Makes an estimator of what expressions cost at most, by Kubernetes' cost model.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#resource-constraints
 */
export function createCostEstimator({ libraries, presenceTestCost = 0 }: CostEstimatorOptions): CostEstimator {
  const estimates = new Map(standardEstimates);
  for (const overload of libraries.flatMap((library) => library.functions ?? []).flatMap((fn) => fn.overloads)) {
    if (overload.estimate !== undefined) estimates.set(overload.id, overload.estimate);
  }
  return (ast, sizes) => new Estimation({ ast, sizes, estimates, presenceTestCost }).costOf(ast.expr);
}

interface Estimated {
  readonly ast: CheckedAst;
  readonly sizes: SizeProvider;
  readonly estimates: ReadonlyMap<string, NonNullable<CelOverload["estimate"]>>;
  readonly presenceTestCost: number;
}

const free = exactly(0);
const one = exactly(1);

/** One walk over one tree. */
class Estimation {
  readonly #of: Estimated;
  readonly #scopes = new Scopes();
  readonly #paths = new Map<number, Path>();
  readonly #sizes = new Map<number, SizeBounds>();
  readonly #entries = new Map<number, EntrySize>();

  constructor(of: Estimated) {
    this.#of = of;
  }

  costOf(expr: Expr): SizeBounds {
    switch (expr.kind) {
      case "literal":
        return free;
      case "ident":
        this.#paths.set(expr.id, this.#scopes.find(expr.name)?.path ?? [expr.name]);
        return one;
      case "select":
        return this.#costOfSelect(expr);
      case "call":
        return this.#costOfCall(expr);
      case "list":
        return this.#costOfList(expr);
      case "map":
        return this.#costOfMap(expr);
      case "struct":
        return expr.fields.reduce((sum, { value }) => plus(sum, this.costOf(value)), exactly(messageCost));
      case "comprehension":
        return isBinding(expr) ? this.#costOfBinding(expr) : this.#costOfLoop(expr);
    }
  }

  #costOfSelect(expr: Select): SizeBounds {
    const cost = this.costOf(expr.operand);
    if (expr.testOnly) return plus(cost, exactly(this.#of.presenceTestCost));
    this.#paths.set(expr.id, [...this.#pathOf(expr.operand), expr.field]);
    const { kind } = this.#typeOf(expr.operand);
    return kind === "map" || kind === "object" || kind === "param" ? plus(cost, one) : cost;
  }

  #costOfList(expr: ListExpr): SizeBounds {
    const cost = this.#sum(expr.elements);
    this.#entries.set(expr.id, { container: "list", key: one, value: this.#sizeOfAny(expr.elements) });
    return plus(cost, exactly(listCost));
  }

  #costOfMap(expr: MapExpr): SizeBounds {
    const keys = expr.entries.map(({ key }) => key);
    const values = expr.entries.map(({ value }) => value);
    const cost = this.#sum(expr.entries.flatMap(({ key, value }) => [key, value]));
    this.#entries.set(expr.id, { container: "map", key: this.#sizeOfAny(keys), value: this.#sizeOfAny(values) });
    return plus(cost, exactly(mapCost));
  }

  /** The bounds over all overloads that may run. */
  #costOfCall(expr: Call): SizeBounds {
    const [first] = expr.args;
    if (expr.function === "dyn" && first !== undefined) return this.#costOfDyn(expr, first);
    const args = expr.target === undefined ? expr.args : [...expr.args, expr.target];
    const costs = args.map((arg) => this.costOf(arg));
    const reference = this.#of.ast.references.get(expr.id);
    if (reference?.kind !== "function" || reference.overloads.length === 0) return free;
    let cost: SizeBounds = { min: unbounded, max: 0 };
    let size: SizeBounds | undefined;
    for (const overload of reference.overloads) {
      const estimate = this.#costOfOverload(expr, overload, costs);
      cost = either(cost, estimate.cost);
      if (estimate.resultSize !== undefined) size = size === undefined ? estimate.resultSize : either(size, estimate.resultSize);
      const entry = overload === "index_list" ? "@items" : overload === "index_map" ? "@values" : undefined;
      if (entry !== undefined && first !== undefined) {
        size = this.#entriesOf(first)?.value;
        this.#paths.set(expr.id, [...this.#pathOf(first), entry]);
      }
      size ??= this.#sizeOf(expr);
    }
    if (size !== undefined) this.#sizes.set(expr.id, size);
    return cost;
  }

  /** With the arguments' costs, the target's among them. */
  #costOfOverload(expr: Call, overload: string, costs: readonly SizeBounds[]): CostEstimate {
    const [a = free, b = free, c = free] = costs;
    if (overload === "logical_and" || overload === "logical_or") return { cost: { min: a.min, max: saturated(a.max + b.max) } };
    if (overload === "conditional") return { cost: plus(a, either(b, c)), ...this.#resultOfConditional(expr) };
    if (overload === "add_string" || overload === "add_bytes" || overload === "add_list") this.#joinEntries(expr, expr.args);
    const args = (expr.target === undefined ? expr.args : [expr.target, ...expr.args]).map((arg) => this.#argument(arg));
    const estimate = this.#of.estimates.get(overload)?.(args) ?? { cost: one };
    return { ...estimate, cost: costs.reduce(plus, estimate.cost) };
  }

  #resultOfConditional(expr: Call): Pick<CostEstimate, "resultSize"> {
    const branches = expr.args.slice(1);
    this.#joinEntries(expr, branches);
    return { resultSize: this.#sizeOfAny(branches) };
  }

  #joinEntries(expr: Expr, [a, b]: readonly Expr[]): void {
    const entries = a && b && eitherEntries(this.#entriesOf(a), this.#entriesOf(b));
    if (entries !== undefined) this.#entries.set(expr.id, entries);
  }

  #costOfDyn(expr: Call, arg: Expr): SizeBounds {
    const cost = this.costOf(arg);
    this.#copySize(expr, arg);
    return plus(cost, one);
  }

  #costOfLoop(expr: Comprehension): SizeBounds {
    const { iterRange, accuInit, loopCondition, loopStep } = expr;
    const outside = this.#sum([iterRange, accuInit]);
    const [perItem, result] = this.#scopes.with(expr.accuVar, this.#variable(accuInit), () => {
      const inLoop = this.#withIterationVariables(expr, () => this.#sum([loopCondition, loopStep]));
      return [inLoop, this.costOf(expr.result)] as const;
    });
    const count = this.#sizeOf(iterRange) ?? unknownSize;
    if (accuInit.kind === "literal") this.#setSize(expr, this.#sizeOf(accuInit));
    else if (accuInit.kind === "list" || accuInit.kind === "map") {
      this.#sizes.set(expr.id, count);
      this.#setEntries(expr, this.#entriesOf(loopStep));
    }
    return plus(plus(outside, result), times(count, perItem));
  }

  #withIterationVariables<T>({ iterRange, iterVar, iterVar2 }: Comprehension, run: () => T): T {
    const entries = this.#entriesOf(iterRange);
    const isList = entries === undefined ? this.#typeOf(iterRange).kind === "list" : entries.container === "list";
    const path = this.#pathOf(iterRange);
    const variable = (part: string, size: SizeBounds | undefined): LocalVariable => ({ path: [...path, part], size, entries: undefined });
    const value = variable(isList ? "@items" : "@values", entries?.value);
    const key = variable(isList ? "@indices" : "@keys", entries?.key);
    if (iterVar2 !== undefined) return this.#scopes.with(iterVar, key, () => this.#scopes.with(iterVar2, value, run));
    return this.#scopes.with(iterVar, isList ? value : key, run);
  }

  /** `optMap` and their like make a loop that never runs, to name a value. */
  #costOfBinding(expr: Comprehension): SizeBounds {
    const outside = this.#sum([expr.iterRange, expr.accuInit]);
    return this.#scopes.with(expr.accuVar, this.#variable(expr.accuInit), () => {
      const cost = plus(outside, this.costOf(expr.result));
      this.#copySize(expr, expr.result);
      return cost;
    });
  }

  #variable(init: Expr): LocalVariable {
    return { path: this.#pathOf(init), size: this.#sizeOf(init), entries: this.#entriesOf(init) };
  }

  #sum(exprs: readonly Expr[]): SizeBounds {
    return exprs.reduce((sum, expr) => plus(sum, this.costOf(expr)), free);
  }

  #argument(expr: Expr): EstimatedArgument {
    const type = this.#typeOf(expr);
    const path = this.#pathOf(expr);
    const items = type.kind === "list" && path.length > 0 ? this.#provided([...path, "@items"], type.item) : undefined;
    const literal = expr.kind === "literal" ? { literal: expr.value } : {};
    return { ...(this.#sizeOf(expr) ?? unknownSize), type, items: items ?? unknownSize, ...literal };
  }

  #provided(path: Path, type: CelType): SizeBounds | undefined {
    const size = path.length === 0 ? undefined : this.#of.sizes(path, type);
    return size && { min: size.min, max: saturated(size.max) };
  }

  #sizeOf(expr: Expr): SizeBounds | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const type = this.#typeOf(expr);
    const provided = this.#provided(this.#pathOf(expr), type);
    if (provided !== undefined) this.#sizes.set(expr.id, provided);
    return provided ?? typeSize(type) ?? (expr.kind === "ident" ? this.#scopes.find(expr.name)?.size : undefined);
  }

  #sizeOfAny(exprs: readonly Expr[]): SizeBounds {
    if (exprs.length === 0) return free;
    return exprs.map((expr) => this.#sizeOf(expr) ?? unknownSize).reduce(either);
  }

  #entriesOf(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === "ident" ? this.#scopes.find(expr.name)?.entries : undefined);
  }

  #copySize(to: Expr, from: Expr): void {
    this.#setSize(to, this.#sizeOf(from));
    this.#setEntries(to, this.#entriesOf(from));
  }

  #setSize(expr: Expr, size: SizeBounds | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  #setEntries(expr: Expr, entries: EntrySize | undefined): void {
    if (entries !== undefined) this.#entries.set(expr.id, entries);
  }

  #pathOf(expr: Expr): Path {
    return (expr.kind === "ident" ? this.#scopes.find(expr.name)?.path : undefined) ?? this.#paths.get(expr.id) ?? [];
  }

  #typeOf(expr: Expr): CelType {
    return this.#of.ast.types.get(expr.id) ?? dynType;
  }
}

const isBinding = ({ iterRange, loopCondition }: Comprehension): boolean =>
  iterRange.kind === "list" && iterRange.elements.length === 0 && loopCondition.kind === "literal" && loopCondition.value === false;
