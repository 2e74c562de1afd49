/** Where expressions are compiled: the names they may use, and what these mean. */
import type { CheckedAst } from "../syntax/ast.ts";
import type { Limits } from "../syntax/limits.ts";
import type { Issue } from "../syntax/source.ts";
import type { CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";
import type { CelLibrary } from "./library.ts";

/** What expressions of an environment may use: variables, libraries and types. */
export interface EnvironmentOptions {
  readonly variables: ReadonlyMap<string, CelType>;
  /** Beside the standard one, which is always there. */
  readonly libraries: readonly CelLibrary[];
  readonly types?: TypeProvider;
  /** Names are looked up in it first: in `a.b`, the name `c` is `a.b.c`, `a.c` or `c`. */
  readonly container?: string;
  readonly limits?: Partial<Limits>;
  readonly features?: Partial<Features>;
}

/** The types of objects, and what they have. */
export interface TypeProvider {
  hasType(name: string): boolean;
  /** The type of a field; undefined when there is no such field. */
  fieldType(typeName: string, field: string): CelType | undefined;
  /** Makes `T{field: value}`; without it no expression can. @throws CelError */
  create?(typeName: string, fields: ReadonlyMap<string, CelValue>): CelValue;
}

/** What the specification leaves open; as Kubernetes has it. */
export interface Features {
  /** `a.\`b-c\``. False. */
  readonly escapedFields: boolean;
  /** `[1, 'a']`. False. */
  readonly mixedLiterals: boolean;
  /** Whether expressions are checked before they run. True. */
  readonly checks: boolean;
  /** What `has(…)` costs beside its operand. 0. */
  readonly presenceTestCost: 0 | 1;
}

/** Compiles expressions that use the same variables, libraries and types. */
export interface Environment {
  compile(source: string): Compilation;
  /** The same with more variables: what `options.variables` would have been with these too. */
  extend(variables: ReadonlyMap<string, CelType>): Environment;
}

/**
 * The outcome of `compile`: a compiled expression, or everything that the parser, the checker or a validator found wrong.
 * A source that is wrong is an outcome and throws nothing.
 */
export type Compilation =
  | { readonly ok: true; readonly compiled: Compiled }
  | {
      readonly ok: false;
      /** In the order in which they were found; from the hundred and first on without a position. */
      readonly issues: readonly Issue[];
      /** All issues as cel-go prints them: `ERROR: <input>:1:5: undefined field 'foo'`, the line, and an arrow. */
      readonly message: string;
    };

/** An expression that was parsed and checked. */
export interface Compiled extends CheckedAst {
  readonly source: string;
  readonly type: CelType;
  /** Constants are converted here: @throws CelError for `int('x')`. */
  program(): Program;
}

/** An expression that can be evaluated any number of times. */
export interface Program {
  /** @throws CelError, CelCostError */
  evaluate(bindings: Bindings, options?: EvaluateOptions): Evaluation;
}

/** Values by the names of variables. */
export type Bindings = ReadonlyMap<string, CelValue>;

/** What bounds an evaluation, and the moment at which it takes place. */
export interface EvaluateOptions {
  /** The most that the evaluation may cost; without it there is no limit. */
  readonly costLimit?: number;
  /** Milliseconds since the epoch; needed only by functions that ask for the time. */
  readonly now?: number;
  /** Its `cost` is set to what the evaluation cost, also when it fails. */
  readonly meter?: { cost: number };
}

/** The outcome of an evaluation that did not fail; one that fails throws, and reports its cost to `EvaluateOptions.meter` alone. */
export interface Evaluation {
  readonly value: CelValue;
  /**
   * In CEL's cost units, as cel-go counts what was really evaluated; never more than `EvaluateOptions.costLimit`.
   * @see https://kubernetes.io/docs/reference/using-api/cel/#runtime-cost-budget
   */
  readonly cost: number;
}
