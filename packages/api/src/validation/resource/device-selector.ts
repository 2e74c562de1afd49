/** Expressions that select devices: compiled when they are written, evaluated by whoever allocates. */
import * as cel from "@coxswain/cel";

const quantities = cel.mapOf(cel.stringType, cel.mapOf(cel.stringType, cel.quantityType));
const attributes = cel.mapOf(cel.stringType, cel.mapOf(cel.stringType, cel.dynType));
const device = "kubernetes.DRADevice";
const fields: ReadonlyMap<string, cel.CelType> = new Map<string, cel.CelType>([
  ["driver", cel.stringType],
  ["attributes", attributes],
  ["capacity", quantities],
  ["allowMultipleAllocations", cel.boolType],
]);

const environment = cel.createEnvironment({
  variables: new Map([["device", cel.objectType(device)]]),
  libraries: [...cel.kubernetesLibraries, cel.bindings],
  types: {
    hasType: (name) => name === device,
    fieldType: (name, field) => (name === device ? fields.get(field) : undefined),
  },
});

/** Why the expression does not compile, or what else is wrong with its result. What it may cost is not estimated. */
export function selectorProblem(expression: string): string | undefined {
  const compilation = environment.compile(expression);
  if (!compilation.ok) return `compilation failed: ${compilation.message}`;
  const { type } = compilation.compiled;
  if (cel.sameType(type, cel.boolType) || cel.sameType(type, cel.dynType)) return undefined;
  return `must evaluate to bool or the unknown type, not ${cel.showType(type)}`;
}
