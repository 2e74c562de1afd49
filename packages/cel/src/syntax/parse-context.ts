/** What parsing leaves behind beside the tree: ids, positions, issues and the calls that macros took. */
import type { Call, Expr, Literal } from "./ast.ts";
import type { ExprFactory, Macro } from "./macro.ts";
import { MacroError } from "./macro.ts";
import { type Issue, maxReportedErrors, nowhere, type Source } from "./source.ts";

/** What no expression can spell, so that macros' variables hide no others. */
const accumulator = "@result";

/** The source is too much as a whole. */
export class LimitProblem extends Error {
  override readonly name = "LimitProblem";
}

export class ParseContext {
  readonly source: Source;
  readonly issues: Issue[] = [];
  /** Offsets in the source by node. */
  readonly positions = new Map<number, number>();
  readonly macroCalls = new Map<number, Call>();
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #limit: number;
  #lastId = 0;

  /** @param limit of nodes */
  constructor(source: Source, macros: ReadonlyMap<string, Macro>, limit: number) {
    this.source = source;
    this.#macros = macros;
    this.#limit = limit;
  }

  /** @throws LimitProblem */
  newId(offset: number): number {
    if (this.#lastId >= this.#limit) throw new LimitProblem(`expression node limit exceeded: ${this.#limit}`);
    this.positions.set(++this.#lastId, offset);
    return this.#lastId;
  }

  report(offset: number, message: string): void {
    this.issues.push({ ...(this.issues.length < maxReportedErrors ? this.source.locate(offset) : nowhere), message });
  }

  /** Reports and gives something to go on with. */
  error(offset: number, message: string): Expr {
    this.report(offset, message);
    return { kind: "literal", id: this.newId(offset), value: null };
  }

  literal(offset: number, value: Literal["value"]): Expr {
    return { kind: "literal", id: this.newId(offset), value };
  }

  /** A call, or what a macro makes of it. */
  call(id: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const call: Call = { kind: "call", id, function: name, target, args };
    const macro = this.#macros.get(macroKey({ function: name, member: target !== undefined, argumentCount: args.length }));
    if (!macro) return call;
    const offset = this.positions.get(id) ?? 0;
    try {
      const expanded = macro.expand(this.#factory(offset), target, args);
      if (!expanded) return call;
      this.macroCalls.set(expanded.id, call);
      return expanded;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      return this.error(this.positions.get(error.exprId) ?? offset, error.message);
    }
  }

  #factory(offset: number): ExprFactory {
    const id = () => this.newId(offset);
    const make: ExprFactory = {
      accumulator,
      literal: (value) => ({ kind: "literal", id: id(), value }),
      ident: (name) => ({ kind: "ident", id: id(), name }),
      list: (...elements) => ({ kind: "list", id: id(), elements, optional: new Set() }),
      map: (...entries) => ({ kind: "map", id: id(), entries: entries.map((entry) => ({ ...entry, id: id() })) }),
      call: (name, ...args) => ({ kind: "call", id: id(), function: name, target: undefined, args }),
      memberCall: (name, target, ...args) => ({ kind: "call", id: id(), function: name, target, args }),
      presenceTest: (operand, field) => ({ kind: "select", id: id(), operand, field, testOnly: true }),
      comprehension: (parts) => ({ iterVar2: undefined, ...parts, kind: "comprehension", id: id() }),
      copy: (expr) => copyExpr(expr, (old) => this.newId(this.positions.get(old) ?? offset)),
    };
    return make;
  }
}

export const macroKey = (macro: Pick<Macro, "function" | "member" | "argumentCount">): string =>
  `${macro.function}:${macro.argumentCount}:${macro.member}`;

function copyExpr(expr: Expr, newId: (id: number) => number): Expr {
  const copy = (child: Expr) => copyExpr(child, newId);
  const id = newId(expr.id);
  switch (expr.kind) {
    case "literal":
    case "ident":
      return { ...expr, id };
    case "select":
      return { ...expr, id, operand: copy(expr.operand) };
    case "call":
      return { ...expr, id, target: expr.target && copy(expr.target), args: expr.args.map(copy) };
    case "list":
      return { ...expr, id, elements: expr.elements.map(copy) };
    case "map":
      return { ...expr, id, entries: expr.entries.map((e) => ({ ...e, id: newId(e.id), key: copy(e.key), value: copy(e.value) })) };
    case "struct":
      return { ...expr, id, fields: expr.fields.map((field) => ({ ...field, id: newId(field.id), value: copy(field.value) })) };
    case "comprehension":
      return {
        ...expr,
        id,
        iterRange: copy(expr.iterRange),
        accuInit: copy(expr.accuInit),
        loopCondition: copy(expr.loopCondition),
        loopStep: copy(expr.loopStep),
        result: copy(expr.result),
      };
  }
}
