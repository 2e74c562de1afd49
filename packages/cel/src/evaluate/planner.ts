/** Makes closures of a checked expression, once, so that evaluating it any number of times is nothing but calling them. */

import { type Declarations, findIdent } from "../environment/declarations.ts";
import { type CheckedAst, type Expr, type Ident, qualifiedName, type Select } from "../syntax/ast.ts";
import { isPresent } from "../values/attribute.ts";
import { CelError, type CelValue } from "../values/value.ts";
import { assign, constantPlan, type Eval, type Frame, type Plan, run } from "./frame.ts";
import { asAttribute, attributePlan, selectFrom } from "./plan-attribute.ts";
import { planCall } from "./plan-call.ts";
import { planComprehension } from "./plan-comprehension.ts";
import type { Local, PlanContext } from "./plan-context.ts";
import { planList, planMap, planStruct } from "./plan-literal.ts";

export class Planner implements PlanContext {
  readonly ast: CheckedAst;
  readonly declarations: Declarations;
  /** Where each variable of the environment that occurs is kept. */
  readonly variables = new Map<string, number>();
  #locals: ReadonlyMap<string, Local> = new Map();
  #slots = 0;

  constructor(ast: CheckedAst, declarations: Declarations) {
    this.ast = ast;
    this.declarations = declarations;
  }

  get slots(): number {
    return this.#slots;
  }

  plan(expr: Expr): Plan {
    switch (expr.kind) {
      case "literal":
        return constantPlan(expr.value);
      case "ident":
        return this.#planIdent(expr, expr.name);
      case "select":
        return this.#planSelect(expr);
      case "call":
        return planCall(this, expr);
      case "list":
        return planList(this, expr);
      case "map":
        return planMap(this, expr);
      case "struct":
        return planStruct(this, expr);
      case "comprehension":
        return planComprehension(this, expr);
    }
  }

  run(expr: Expr): Eval {
    return run(this.plan(expr));
  }

  newSlot(): number {
    return this.#slots++;
  }

  within<T>(names: Readonly<Record<string, Local>>, plan: () => T): T {
    const outer = this.#locals;
    this.#locals = new Map([...outer, ...Object.entries(names)]);
    try {
      return plan();
    } finally {
      this.#locals = outer;
    }
  }

  failureOf(expr: Expr | undefined): (frame: Frame) => CelError | undefined {
    const local = expr?.kind === "ident" ? this.#locals.get(expr.name) : undefined;
    if (!local?.mayFail || local.init) return () => undefined;
    return (frame) => {
      const value = frame.slots[local.slot];
      if (!(value instanceof CelError)) return undefined;
      frame.charge(1);
      return value;
    };
  }

  #planIdent(expr: Ident | Select, name: string): Plan {
    const local = name.startsWith(".") ? undefined : this.#locals.get(name);
    if (local) return attributePlan(local.mayFail ? readFallible(local) : readSlot(local.slot, name));
    const reference = this.ast.references.get(expr.id);
    const found = reference?.kind === "ident" ? reference : findIdent(this.declarations, new Map(), name);
    if (found?.value !== undefined) return constantPlan(found.value);
    const full = found?.name ?? name;
    const slot = this.variables.get(full) ?? this.newSlot();
    this.variables.set(full, slot);
    return attributePlan(readSlot(slot, full));
  }

  /** Whether `a.b` is one name. Without a check, the longest name that is declared is meant. */
  #isWhole(id: number, name: string): boolean {
    if (this.declarations.features.checks) return this.ast.references.has(id);
    return !this.#locals.has(name.split(".", 1).join()) && findIdent(this.declarations, new Map(), name) !== undefined;
  }

  #planSelect(expr: Select): Plan {
    const name = qualifiedName(expr);
    if (name !== undefined && this.#isWhole(expr.id, name)) return this.#planIdent(expr, name);
    const operand = this.plan(expr.operand);
    const { bare, base } = asAttribute(operand);
    const { field } = expr;
    if (!expr.testOnly) return attributePlan((frame) => selectFrom(frame, bare(frame), field), base);
    const cost = base + this.declarations.features.presenceTestCost;
    const test: Eval = (frame) => {
      const present = isPresent(bare(frame), field);
      frame.charge(cost);
      return present;
    };
    return { bare: test, base: 0, attribute: false };
  }
}

const readSlot =
  (slot: number, name: string): Eval =>
  (frame) => {
    const value = frame.slots[slot];
    if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
    return value as CelValue;
  };

const readFallible =
  ({ slot, init }: Local): Eval =>
  (frame) => {
    if (init && frame.slots[slot] === undefined) assign(frame, slot, init);
    const value = frame.slots[slot];
    if (value instanceof CelError) throw value;
    return value ?? null;
  };
