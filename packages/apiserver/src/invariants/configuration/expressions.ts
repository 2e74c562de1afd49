/** The expressions of invariants, within Kubernetes' limits of what one may cost. */
import * as cel from "@coxswain/cel";
import { goQuote, type KubeObject } from "@coxswain/machinery";
import { type Evaluated, expressionCostLimit } from "../../admission/cel/evaluate.ts";
import { DocumentProblem, type InvariantDocument, type InvariantScope } from "./document.ts";

/** What an invariant of each object is evaluated about. */
export interface ObjectInputs {
  readonly object: Readonly<KubeObject> | undefined;
  readonly oldObject: Readonly<KubeObject> | undefined;
}

/** What one of many objects is evaluated about. */
export interface SetInputs {
  readonly objects: readonly Readonly<KubeObject>[];
}

/** Whether it holds, what is wrong, or that this could not be found out. */
export type Outcome = { readonly problem: string | undefined; readonly isFailure?: true };

/** Longer messages are cut off. Characters. */
const maxMessage = 1024;

const variables: Readonly<Record<"Object" | "Set", ReadonlyMap<string, cel.CelType>>> = {
  Object: new Map([
    ["object", cel.dynType],
    ["oldObject", cel.dynType],
  ]),
  Set: new Map([["objects", cel.listOf(cel.dynType)]]),
};

/** @throws DocumentProblem for what does not compile, at a path within the invariant */
export function compileInvariant({
  scope,
  expression,
  message,
  messageExpression,
}: InvariantDocument): (inputs: ObjectInputs | SetInputs) => Outcome {
  const environment = cel.createEnvironment({
    variables: variables[scope === "Object" ? "Object" : "Set"],
    libraries: cel.kubernetesLibraries,
  });
  const holds = compile(environment, expression, { path: "expression", type: cel.boolType, scope });
  const says =
    messageExpression === undefined
      ? undefined
      : compile(environment, messageExpression, { path: "messageExpression", type: cel.stringType, scope });
  const otherwise = message ?? `failed expression: ${expression.trim()}`;
  return (inputs) => {
    const bindings = bindingsOf(inputs);
    const answer = evaluate(holds, bindings);
    if (!answer.ok) return { problem: `expression ${goQuote(expression.trim())} resulted in error: ${answer.message}`, isFailure: true };
    if (answer.value === true) return { problem: undefined };
    const said = says === undefined ? undefined : evaluate(says, bindings);
    const text = said?.ok === true && typeof said.value === "string" ? said.value.trim() : "";
    return { problem: shortened(text === "" ? otherwise : text) };
  };
}

const shortened = (text: string): string => (text.length <= maxMessage ? text : `${text.slice(0, maxMessage - 1).toWellFormed()}…`);

const bindingsOf = (inputs: ObjectInputs | SetInputs): ReadonlyMap<string, cel.CelValue> =>
  "objects" in inputs
    ? new Map([["objects", cel.fromJson(inputs.objects)]])
    : new Map([
        ["object", cel.fromJson(inputs.object)],
        ["oldObject", cel.fromJson(inputs.oldObject)],
      ]);

function evaluate(program: cel.Program, bindings: ReadonlyMap<string, cel.CelValue>): Evaluated {
  try {
    return { ok: true, value: program.evaluate(bindings, { costLimit: expressionCostLimit }).value };
  } catch (error) {
    if (error instanceof cel.CelError || error instanceof cel.CelCostError) return { ok: false, message: error.message };
    if (error instanceof RangeError) return { ok: false, message: "the evaluation nests too deep" };
    throw error;
  }
}

interface Use {
  readonly path: "expression" | "messageExpression";
  readonly type: cel.CelType;
  readonly scope: InvariantScope;
}

function compile(environment: cel.Environment, text: string, { path, type, scope }: Use): cel.Program {
  const compilation = environment.compile(text.trim());
  if (!compilation.ok) {
    const known = scope === "Object" ? "object and oldObject" : "objects";
    throw new DocumentProblem([path], `${compilation.message}\nAn invariant with the scope ${scope} has the variables ${known}.`);
  }
  const { compiled } = compilation;
  if (!cel.sameType(compiled.type, type))
    throw new DocumentProblem([path], `must evaluate to ${cel.showResultType(type)} but got ${cel.showResultType(compiled.type)}`);
  try {
    return compiled.program();
  } catch (error) {
    if (!(error instanceof cel.CelError)) throw error;
    throw new DocumentProblem([path], error.message);
  }
}
