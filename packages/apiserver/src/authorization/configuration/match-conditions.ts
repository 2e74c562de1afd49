/** Which requests a webhook is asked about: expressions over the SubjectAccessReview that it would get. */
import {
  boolType,
  CelCostError,
  CelError,
  type CelType,
  createEnvironment,
  type Environment,
  fromJson,
  kubernetesLibraries,
  listOf,
  mapOf,
  objectType,
  showType,
  stringType,
  type TypeProvider,
} from "@coxswain/cel";
import { messageOf } from "@coxswain/machinery";
import type { AuthorizationMatchConditions } from "../../contracts/authorization-webhook.ts";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { selectorsOf } from "../review-spec.ts";

/** An expression that compiled. */
export interface MatchCondition {
  readonly source: string;
  /** @throws CelError, CelCostError */
  evaluate(request: object): unknown;
}

/** The most that one evaluation may cost. @see https://kubernetes.io/docs/reference/using-api/cel/#runtime-cost-budget */
const costLimit = 1_000_000;

/** The expression, or what is wrong with it in Kubernetes' words. */
export function compileMatchCondition(source: string): MatchCondition | string {
  environment ??= createEnvironment({
    variables: new Map([["request", objectType("kubernetes.SubjectAccessReviewSpec")]]),
    libraries: kubernetesLibraries,
    types,
  });
  const compilation = environment.compile(source);
  if (!compilation.ok) return `compilation failed: ${compilation.message}`;
  const { compiled } = compilation;
  if (compiled.type.kind !== boolType.kind) return `must evaluate to bool but got ${showType(compiled.type)}`;
  try {
    const program = compiled.program();
    return { source, evaluate: (request) => program.evaluate(new Map([["request", fromJson(request)]]), { costLimit }).value };
  } catch (error) {
    return `program instantiation failed: ${messageOf(error)}`;
  }
}

/** Made with the first condition: most servers have none. */
let environment: Environment | undefined;

/** The first that is false excludes; whether others cannot be evaluated does not matter then. */
export function matchConditionsOf(conditions: readonly MatchCondition[]): AuthorizationMatchConditions {
  return (attributes) => {
    const request = requestOf(attributes);
    const errors: string[] = [];
    for (const { source, evaluate } of conditions) {
      try {
        if (evaluate(request) === false) return { kind: "excluded" };
      } catch (error) {
        if (!(error instanceof CelError || error instanceof CelCostError)) throw error;
        errors.push(`cel evaluation error: expression '${source}' resulted in error: ${error.message}`);
      }
    }
    return errors.length === 0 ? { kind: "matches" } : { kind: "failed", errors };
  };
}

/** Every text is there, also an empty one; selectors only where there are some. */
function requestOf(attributes: AuthorizationAttributes): object {
  const { name: user, uid, groups, extra } = attributes.user;
  const who = { user, uid, groups, extra };
  if (attributes.kind === "path") return { ...who, nonResourceAttributes: { verb: attributes.verb, path: attributes.path } };
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const what = { namespace, verb, group, version, resource, subresource, name };
  return { ...who, resourceAttributes: { ...what, ...selectorsOf(attributes) } };
}

const fieldsOf = (fields: Readonly<Record<string, CelType>>): ReadonlyMap<string, CelType> => new Map(Object.entries(fields));
const selector = fieldsOf({ rawSelector: stringType, requirements: listOf(objectType("kubernetes.SelectorRequirement")) });
const structs: ReadonlyMap<string, ReadonlyMap<string, CelType>> = new Map([
  [
    "kubernetes.SubjectAccessReviewSpec",
    fieldsOf({
      resourceAttributes: objectType("kubernetes.ResourceAttributes"),
      nonResourceAttributes: objectType("kubernetes.NonResourceAttributes"),
      user: stringType,
      groups: listOf(stringType),
      extra: mapOf(stringType, listOf(stringType)),
      uid: stringType,
    }),
  ],
  [
    "kubernetes.ResourceAttributes",
    fieldsOf({
      ...Object.fromEntries(["namespace", "verb", "group", "version", "resource", "subresource", "name"].map((name) => [name, stringType])),
      fieldSelector: objectType("kubernetes.FieldSelectorAttributes"),
      labelSelector: objectType("kubernetes.LabelSelectorAttributes"),
    }),
  ],
  ["kubernetes.FieldSelectorAttributes", selector],
  ["kubernetes.LabelSelectorAttributes", selector],
  ["kubernetes.SelectorRequirement", fieldsOf({ key: stringType, operator: stringType, values: listOf(stringType) })],
  ["kubernetes.NonResourceAttributes", fieldsOf({ path: stringType, verb: stringType })],
]);

const types: TypeProvider = {
  hasType: (name) => structs.has(name),
  fieldType: (name, field) => structs.get(name)?.get(field),
};
