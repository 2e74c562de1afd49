/**
 * Evaluates compiled expressions about a request, within Kubernetes' limits.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#runtime-cost-budget
 */
import type { CompiledExpression } from "@coxswain/api";
import { CelCostError, CelError, CelObject, type CelType, type CelValue, objectType } from "@coxswain/cel";
import { goQuote } from "@coxswain/machinery";
import { nextTurn } from "../../openapi/in-pieces.ts";
import { PendingDecision } from "./expression-authorizer.ts";
import type { Variables } from "./expression-inputs.ts";

/** The most that one evaluation of one expression may cost. */
export const expressionCostLimit = 1_000_000;
/** The most that all expressions of a policy may cost, for each binding and parameter. */
export const policyCostBudget = 10_000_000;
/** The same for the match conditions of a webhook or policy. */
export const conditionsCostBudget = 2_500_000;

/** An expression with its text, which errors repeat. */
export interface Expression {
  readonly text: string;
  readonly compiled: CompiledExpression;
}

/** Variables of a policy, by name. */
export type NamedExpressions = ReadonlyMap<string, Expression>;

/** What one expression came to. */
export type Evaluated = { readonly ok: true; readonly value: CelValue } | { readonly ok: false; readonly message: string };

/** No further expression is evaluated. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
    this.name = "OutOfBudget";
  }
}

/** What expressions that belong together share: their variables, each evaluated when it is first used, and what they may cost. */
export class Evaluation {
  readonly #bindings: Variables;
  readonly #composed: ComposedVariables;
  #remaining: number;
  /** Since other requests had their turn. */
  #busy = 0;

  constructor(bindings: Variables, variables: NamedExpressions, budget: number) {
    this.#remaining = budget;
    this.#composed = new ComposedVariables(variables, budget);
    this.#bindings = new Map([...bindings, ["variables", this.#composed]]);
    this.#composed.bindings = this.#bindings;
  }

  get remaining(): number {
    return this.#remaining;
  }

  /** @throws OutOfBudget */
  async evaluate({ text, compiled }: Expression): Promise<Evaluated> {
    if (!compiled.ok) return { ok: false, message: `compilation error: ${compiled.problem}` };
    if (this.#busy > longTurn) {
      this.#busy = 0;
      await nextTurn();
    }
    for (;;) {
      try {
        return this.#evaluateOnce(text, compiled);
      } catch (error) {
        if (!(error instanceof PendingDecision)) throw error;
        await error.settled;
      }
    }
  }

  #evaluateOnce(text: string, { program }: Extract<CompiledExpression, { ok: true }>): Evaluated {
    const meter = { cost: 0 };
    try {
      const { value } = program.evaluate(this.#bindings, { costLimit: expressionCostLimit, meter });
      this.#spend(meter.cost);
      return { ok: true, value };
    } catch (error) {
      const message = problemOf(error);
      if (message === undefined) throw error;
      this.#spend(meter.cost);
      return { ok: false, message: `expression '${text}' resulted in error: ${message}` };
    }
  }

  /** @throws OutOfBudget */
  #spend(cost: number): void {
    const spent = cost + this.#composed.takeCost();
    this.#busy += spent;
    this.#remaining -= spent;
    this.#composed.budget = this.#remaining;
    if (this.#remaining < 0) throw new OutOfBudget();
  }
}

/** About 10 ms of work. */
const longTurn = 100_000;

/** What is wrong with an evaluation; undefined for what ends more than it. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof CelError || error instanceof CelCostError) return error.message;
  // Variables may be made of variables without end.
  return error instanceof RangeError ? "the evaluation nests too deep" : undefined;
}

/** `variables`: evaluated when one of them is used, once for all expressions that use it. */
class ComposedVariables extends CelObject {
  override readonly type: CelType = objectType("kubernetes.variables");
  /** With this object in it. */
  bindings: Variables = new Map();
  budget: number;
  readonly #expressions: NamedExpressions;
  readonly #known = new Map<string, CelValue | CelError>();
  #cost = 0;

  constructor(expressions: NamedExpressions, budget: number) {
    super();
    this.#expressions = expressions;
    this.budget = budget;
  }

  override get(name: string): CelValue | undefined {
    const known = this.#known.get(name) ?? this.#evaluate(name);
    if (known instanceof CelError) throw known;
    return known;
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  override equals(other: CelValue): boolean {
    return other === this;
  }

  /** What was evaluated since it was last asked. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  /** @throws OutOfBudget as soon as there is no way that the expression which uses them stays within the budget */
  #evaluate(name: string): CelValue | CelError | undefined {
    const expression = this.#expressions.get(name);
    if (expression === undefined) return undefined;
    const value = this.#valueOf(name, expression.compiled);
    if (this.#cost > this.budget) throw new OutOfBudget();
    this.#known.set(name, value);
    return value;
  }

  #valueOf(name: string, compiled: CompiledExpression): CelValue | CelError {
    if (!compiled.ok) return new CelError(`composited variable ${goQuote(name)} fails to compile: ${compiled.problem}`);
    const meter = { cost: 0 };
    try {
      const { value } = compiled.program.evaluate(this.bindings, { costLimit: expressionCostLimit, meter });
      this.#cost += meter.cost;
      return value;
    } catch (error) {
      if (!(error instanceof CelError || error instanceof CelCostError)) throw error;
      this.#cost += meter.cost;
      return new CelError(`composited variable ${goQuote(name)} fails to evaluate: ${error.message}`);
    }
  }
}
