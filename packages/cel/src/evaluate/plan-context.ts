/** What the plans of the kinds of expressions need of the planner. */
import type { Declarations } from "../environment/declarations.ts";
import type { CheckedAst, Expr } from "../syntax/ast.ts";
import type { CelError } from "../values/value.ts";
import type { Eval, Frame, Plan } from "./frame.ts";

/** A macro's variable. */
export interface Local {
  readonly slot: number;
  /** An accumulator, which keeps the error of a step. */
  readonly mayFail: boolean;
  /** Gives it its value when it is first read. */
  readonly init?: Eval;
}

export interface PlanContext {
  readonly ast: CheckedAst;
  readonly declarations: Declarations;
  plan(expr: Expr): Plan;
  /** To be called, with all that it costs. */
  run(expr: Expr): Eval;
  newSlot(): number;
  /** Plans with more names in scope. */
  within<T>(names: Readonly<Record<string, Local>>, plan: () => T): T;
  /** The error that an accumulator holds, read without throwing it: macros meet it again at every step. */
  failureOf(expr: Expr | undefined): (frame: Frame) => CelError | undefined;
}
