/** Expressions about the claims of a token and about the user that they come to. */
import {
  boolType,
  type CelType,
  type CelValue,
  createEnvironment,
  dynType,
  type Environment,
  type Expr,
  kubernetesLibraries,
  listOf,
  mapOf,
  objectType,
  stringType,
  type TypeProvider,
} from "@coxswain/cel";
import { messageOf } from "@coxswain/machinery";

/** An expression that compiled. */
export interface ClaimExpression {
  readonly source: string;
  readonly tree: Expr;
  /** @throws Error for what cannot be evaluated */
  evaluate(value: CelValue): CelValue;
}

/** About `claims` or `user`, for a value of any type or for a bool. */
export interface ExpressionKind {
  readonly variable: "claims" | "user";
  readonly result: "any" | "bool";
}

/** Made when the first is compiled: most servers have none. */
export class ExpressionCompiler {
  readonly #environments = new Map<string, Environment>();

  /** The expression, or what is wrong with it. */
  compile(source: string, { variable, result }: ExpressionKind): ClaimExpression | string {
    const compilation = this.#environmentOf(variable).compile(source);
    if (!compilation.ok) return `compilation failed: ${compilation.message}`;
    const { compiled } = compilation;
    if (result === "bool" && compiled.type.kind !== boolType.kind) return "must evaluate to bool";
    try {
      const program = compiled.program();
      return {
        source,
        tree: compiled.expr,
        evaluate: (value) => evaluated(() => program.evaluate(new Map([[variable, value]])).value, source),
      };
    } catch (error) {
      return `program instantiation failed: ${messageOf(error)}`;
    }
  }

  #environmentOf(variable: ExpressionKind["variable"]): Environment {
    let environment = this.#environments.get(variable);
    if (environment === undefined) {
      const variables = new Map([[variable, variable === "claims" ? mapOf(stringType, dynType) : objectType(userType)]]);
      environment = createEnvironment({ variables, libraries: kubernetesLibraries, types: userTypes });
      this.#environments.set(variable, environment);
    }
    return environment;
  }
}

function evaluated(evaluate: () => CelValue, source: string): CelValue {
  try {
    return evaluate();
  } catch (error) {
    throw new Error(`expression '${source}' resulted in error: ${messageOf(error)}`, { cause: error });
  }
}

const userType = "kubernetes.UserInfo";
const userFields: ReadonlyMap<string, CelType> = new Map([
  ["username", stringType],
  ["uid", stringType],
  ["groups", listOf(stringType)],
  ["extra", mapOf(stringType, listOf(stringType))],
]);

const userTypes: TypeProvider = {
  hasType: (name) => name === userType,
  fieldType: (name, field) => (name === userType ? userFields.get(field) : undefined),
};

/** Whether an expression reads `claims.FIELD`, as `claims.FIELD` or `claims.?FIELD`. */
export function readsClaim(tree: Expr, field: string): boolean {
  const among = (parts: readonly (Expr | undefined)[]): boolean => parts.some((part) => part !== undefined && readsClaim(part, field));
  switch (tree.kind) {
    case "literal":
    case "ident":
      return false;
    case "select":
      return (isClaims(tree.operand) && tree.field === field) || readsClaim(tree.operand, field);
    case "call": {
      const [operand, name] = tree.args;
      const isOptional = tree.function === "_?._" && tree.target === undefined && isClaims(operand);
      if (isOptional && name?.kind === "literal" && name.value === field) return true;
      return among([tree.target, ...tree.args]);
    }
    case "list":
      return among(tree.elements);
    case "map":
      return among(tree.entries.flatMap(({ key, value }) => [key, value]));
    case "struct":
      return among(tree.fields.map(({ value }) => value));
    case "comprehension":
      return among([tree.iterRange, tree.accuInit, tree.loopCondition, tree.loopStep, tree.result]);
  }
}

const isClaims = (tree: Expr | undefined): boolean => tree?.kind === "ident" && tree.name === "claims";
