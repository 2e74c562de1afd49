/** One rule on one value, within what may be spent on the object. */
import type { Bindings, Program } from "@coxswain/cel";
import { CelCostError, CelError, type CelValue } from "@coxswain/cel";
import type { ValidationBudget } from "../validate/work.ts";
import { byteLength } from "./declared-type.ts";

const maxCallCost = 1_000_000;
const maxMessageBytes = 5 * 1024;

/** What is left to spend; negative once an object's rules are given up. In units of cost. */
export interface Budget {
  left: number;
  readonly validationBudget?: ValidationBudget | undefined;
}

export type Outcome =
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "failed"; readonly message: string }
  /** One evaluation cost more than it may. */
  | { readonly kind: "tooCostly"; readonly message: string }
  | { readonly kind: "outOfBudget" };

export function evaluate(program: Program, bindings: Bindings, budget: Budget): Outcome {
  const { validationBudget } = budget;
  const costLimit = Math.min(maxCallCost, validationBudget?.cost ?? maxCallCost);
  const meter = { cost: 0 };
  let outcome: Outcome;
  try {
    outcome = { kind: "value", value: program.evaluate(bindings, { costLimit, meter }).value };
  } catch (error) {
    if (error instanceof CelCostError && costLimit < maxCallCost) validationBudget?.exceeded();
    if (error instanceof CelCostError) outcome = { kind: "tooCostly", message: error.message };
    else if (error instanceof CelError) outcome = { kind: "failed", message: error.message };
    else throw error;
  }
  validationBudget?.check();
  budget.left -= meter.cost;
  if (budget.left < 0) return { kind: "outOfBudget" };
  return outcome;
}

/** The text of a messageExpression; undefined when it is of no use, so that another message has to do. */
export function usableMessage(outcome: Outcome): string | undefined {
  if (outcome.kind !== "value" || typeof outcome.value !== "string") return undefined;
  const text = outcome.value.trim();
  return text === "" || text.includes("\n") || byteLength(text) > maxMessageBytes ? undefined : text;
}
