/** One validation rule as it runs, and what is known of it before it does. */

import type { Compiled, Environment, Program } from "@coxswain/cel";
import { CelError, type CostEstimator, createCostEstimator, createEnvironment, kubernetesLibraries, optionalOf } from "@coxswain/cel";
import { findField } from "../check/field-path.ts";
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { type DeclaredType, TypeDeclarations } from "./declared-type.ts";
import { sizesWithin, TypeScope } from "./type-scope.ts";

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for an empty rule, and for one with an error. */
  readonly program: Program | undefined;
  readonly error?: string;
  readonly message?: Program;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  /** At most, of one evaluation. */
  readonly cost: number;
  readonly messageCost?: number;
  /** From the place of the schema; empty where the rule names no other. */
  readonly fieldPath: string;
}

const estimate: CostEstimator = createCostEstimator({ libraries: kubernetesLibraries });

/** Compiles rules anywhere in one schema, and shares between them what the schema declares. */
export class RuleCompiler {
  readonly declarations = new TypeDeclarations();
  readonly #scope = new TypeScope();
  /** Each schema has a declaration of its own. */
  readonly #compiled = new Map<DeclaredType, readonly CompiledRule[]>();
  #base: Environment | undefined;

  /** Undefined where rules can see nothing of the values. */
  compile(schema: JsonSchema, resource: boolean): readonly CompiledRule[] | undefined {
    const declared = this.declarations.of(schema, resource);
    if (declared === undefined) return undefined;
    const known = this.#compiled.get(declared);
    if (known !== undefined) return known;
    const rules = this.#compile(schema, declared);
    this.#compiled.set(declared, rules);
    return rules;
  }

  #compile(schema: JsonSchema, declared: DeclaredType): readonly CompiledRule[] {
    const type = this.#scope.root(declared);
    this.#base ??= createEnvironment({ variables: new Map(), libraries: kubernetesLibraries, types: this.#scope });
    const base = this.#base;
    const scoped = (optional: boolean): Environment =>
      base.extend(
        new Map([
          ["self", type],
          ["oldSelf", optional ? optionalOf(type) : type],
        ]),
      );
    const environments = { plain: scoped(false), optional: scoped(true) };
    return (schema["x-kubernetes-validations"] ?? []).map((rule) => {
      const environment = rule.optionalOldSelf === true ? environments.optional : environments.plain;
      return compileRule(rule, schema, environment, declared);
    });
  }
}

function compileRule(rule: ValidationRule, schema: JsonSchema, environment: Environment, declared: DeclaredType): CompiledRule {
  const none = { rule, program: undefined, usesOldSelf: false, cost: 0, fieldPath: "" };
  if ((rule.rule ?? "").trim() === "") return none;
  const expression = compileExpression(rule.rule, environment, texts);
  if ("error" in expression) return { ...none, ...expression };
  const { compiled, program } = expression;
  const found = rule.fieldPath ? findField(rule.fieldPath, schema, { brackets: true }) : "";
  return {
    rule,
    program,
    usesOldSelf: [...compiled.references.values()].some((reference) => reference.kind === "ident" && reference.name === "oldSelf"),
    cost: estimate(compiled, sizesWithin(declared)).max,
    fieldPath: typeof found === "string" ? "" : found.path,
    ...compileMessage(rule.messageExpression ?? "", environment, declared),
  };
}

type Message = Pick<CompiledRule, "message" | "messageError" | "messageCost">;

function compileMessage(source: string, environment: Environment, declared: DeclaredType): Message {
  if (source === "") return {};
  const expression = compileExpression(source, environment, messageTexts);
  if ("error" in expression) return { messageError: expression.error };
  return { message: expression.program, messageCost: estimate(expression.compiled, sizesWithin(declared)).max };
}

interface Texts {
  readonly type: "bool" | "string";
  readonly failed: string;
  readonly wrongType: string;
  readonly unusable: string;
}

const texts: Texts = {
  type: "bool",
  failed: "compilation failed: ",
  wrongType: "cel expression must evaluate to a bool",
  unusable: "program instantiation failed: ",
};
const messageTexts: Texts = {
  type: "string",
  failed: "messageExpression compilation failed: ",
  wrongType: "messageExpression must evaluate to a string",
  unusable: "messageExpression instantiation failed: ",
};

function compileExpression(
  source: string,
  environment: Environment,
  { type, failed, wrongType, unusable }: Texts,
): { readonly error: string } | { readonly compiled: Compiled; readonly program: Program } {
  const compilation = environment.compile(source);
  if (!compilation.ok) return { error: failed + compilation.message };
  const { compiled } = compilation;
  if (compiled.type.kind !== type) return { error: wrongType };
  try {
    return { compiled, program: compiled.program() };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { error: unusable + error.message };
  }
}
