/** How functions, constants and macros come into an environment. A library is data, so that several can be put together. */
import type { CheckedAst } from "../syntax/ast.ts";
import type { Macro } from "../syntax/macro.ts";
import type { CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

/** Functions, macros, constants and validators that an environment may have beside the standard ones. */
export interface CelLibrary {
  readonly name: string;
  readonly functions?: readonly CelFunction[];
  readonly macros?: readonly Macro[];
  readonly validators?: readonly AstValidator[];
  /** Constants by their name. */
  readonly constants?: ReadonlyMap<string, { readonly type: CelType; readonly value: CelValue }>;
}

/** Checks an expression further once its types are right: that a literal pattern is one. `exprId` is the node to point at. */
export type AstValidator = (ast: CheckedAst, report: (exprId: number, message: string) => void) => void;

/** One name with all its overloads; several libraries may add overloads to one name. */
export interface CelFunction {
  readonly name: string;
  readonly overloads: readonly CelOverload[];
}

/** One signature of a function, what it does and what it costs. */
export interface CelOverload {
  /** Unique: `string_lower_ascii`. */
  readonly id: string;
  /** Called as `target.name(…)`: the first parameter is the target. */
  readonly member?: true;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** @throws CelError */
  readonly call: (args: readonly CelValue[], run: CelRun) => CelValue;
  /**
   * Called once with the arguments that are constants, such as a pattern, to make a call that need not look at them again.
   * @throws CelError when one of them can never be right
   */
  readonly prepare?: (constants: readonly (CelValue | undefined)[]) => CelOverload["call"] | undefined;
  /** What a call costs at run time; without it 1. `size` is what values count as: characters, items, bytes; 1 for scalars. */
  readonly cost?: (args: readonly CelValue[], result: CelValue) => number;
  /** The bounds of what a call costs, from the bounds of its arguments' sizes; without it 1. */
  readonly estimate?: (args: readonly EstimatedArgument[]) => CostEstimate;
}

/** What a call may know of the evaluation that it is part of. */
export interface CelRun {
  /** The evaluation's own time, milliseconds since the epoch: the same for all of its parts. */
  readonly now: number;
}

/**
 * The bounds of a size or a cost, both inclusive: whole numbers from 0 to 2^64, with `min` at most `max`. A size counts the
 * characters of a string, the bytes of bytes, the items of a list or the entries of a map, and is 1 for a scalar; a cost
 * counts CEL's cost units.
 */
export interface SizeBounds {
  readonly min: number;
  /** 2^64 when nothing bounds it. Not Infinity, which times 0 is no number. */
  readonly max: number;
}

/** What is known of an argument before there is a value. */
export interface EstimatedArgument extends SizeBounds {
  readonly type: CelType;
  /** Of the items' sizes, when it is a list. */
  readonly items: SizeBounds;
  /** Its value, when it is a literal. */
  readonly literal?: CelValue;
}

/**
 * What a call may cost and how large its result may be, as far as that follows from the sizes of the arguments before the evaluation.
 * The numbers must be cel-go's and those of Kubernetes' libraries: Kubernetes rejects a rule by its worst case.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#resource-constraints
 */
export interface CostEstimate {
  /** In CEL's cost units. What an overload estimates leaves out the costs of its arguments: the estimator adds them. */
  readonly cost: SizeBounds;
  /** The size of the result, where it follows from the sizes of the arguments; else the type of the result decides. */
  readonly resultSize?: SizeBounds;
}
