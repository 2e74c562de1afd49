import type { Expr } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";
import type { TokenStream } from "./token-stream.ts";

/** What the parts of the parser share. */
export interface ParserState {
  readonly tokens: TokenStream;
  readonly context: ParseContext;
  readonly escapedFields: boolean;
  expression(): Expr;
  /** Counts one more level while `parse` runs. @throws LimitProblem */
  nested<T>(parse: () => T): T;
  /** Fails when a chain such as `a.b.c` or `a + b + c` has too many links. @throws LimitProblem */
  checkChain(links: number): void;
}
