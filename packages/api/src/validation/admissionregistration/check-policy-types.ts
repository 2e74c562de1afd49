/**
 * Checks the expressions of a ValidatingAdmissionPolicy against the types of what it matches. What is found is a warning: the
 * objects are what they are when they come.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
import * as cel from "@coxswain/cel";
import type { GroupVersionKind } from "@coxswain/machinery";
import type { ExpressionWarning, ValidatingAdmissionPolicy, Variable } from "@coxswain/types/admissionregistration-v1";
import { namespaceType, requestType, requestTypes } from "./expression-types.ts";
import { variablesType, variableType } from "./expressions.ts";
import { type OpenApiSchema, type OpenApiSchemas, SchemaTypes } from "./schema-types.ts";

/** A kind with its schema, and the others of its document. */
export interface TypedKind extends GroupVersionKind {
  readonly schema: OpenApiSchema;
  readonly schemas: OpenApiSchemas;
}

/** What a policy is about, as far as it is known: its kinds in their order, and that of its parameters. */
export interface PolicyTypes {
  readonly kinds: readonly TypedKind[];
  readonly params: TypedKind | undefined;
}

/** How many expressions are compiled for one policy, once for each kind: what is beyond is not checked. */
const maxCompilations = 10_000;

/** Empty when nothing is wrong. */
export function checkPolicyTypes({ spec = {} }: ValidatingAdmissionPolicy, types: PolicyTypes): readonly ExpressionWarning[] {
  const { variables = [], validations = [], paramKind } = spec;
  const languages = types.kinds.map((kind) => ({ kind, language: languageOf(kind, types.params, paramKind !== undefined, variables) }));
  let left = maxCompilations - languages.length * variables.length;
  const warnings: ExpressionWarning[] = [];
  const check = (fieldRef: string, expression: string | undefined): void => {
    if (!expression || left < languages.length) return;
    left -= languages.length;
    const found = languages.flatMap(({ kind: { group, version, kind }, language }) => {
      const compilation = language.compile(expression);
      return compilation.ok ? [] : [`${group}/${version}, Kind=${kind}: ${compilation.message}\n`];
    });
    if (found.length > 0) warnings.push({ fieldRef, warning: found.join("\n") });
  };
  for (const [i, { expression, messageExpression }] of validations.entries()) {
    check(`spec.validations[${i}].expression`, expression);
    check(`spec.validations[${i}].messageExpression`, messageExpression);
  }
  return warnings;
}

function languageOf(kind: TypedKind, params: TypedKind | undefined, hasParams: boolean, variables: readonly Variable[]): cel.Environment {
  const schemas = new SchemaTypes();
  const object = schemas.add(kind.kind, kind.schema, kind.schemas);
  const paramsType = params === undefined ? cel.dynType : schemas.add(`params.${params.kind}`, params.schema, params.schemas);
  const composed = new Map<string, cel.CelType>();
  const providers: readonly cel.TypeProvider[] = [requestTypes, schemas];
  const language = cel.createEnvironment({
    variables: new Map<string, cel.CelType>([
      ["object", object],
      ["oldObject", object],
      ["namespaceObject", namespaceType],
      ["request", requestType],
      ...(hasParams ? [["params", paramsType] as const] : []),
      ["authorizer", cel.authorizerType],
      ["authorizer.requestResource", cel.resourceCheckType],
      ["variables", cel.objectType(variablesType)],
    ]),
    libraries: cel.kubernetesLibraries,
    types: {
      hasType: (name) => name === variablesType || providers.some((types) => types.hasType(name)),
      fieldType: (name, member) =>
        name === variablesType ? composed.get(member) : providers.find((types) => types.hasType(name))?.fieldType(name, member),
    },
  });
  for (const { name = "", expression = "" } of variables.slice(0, maxCompilations)) {
    const compilation = language.compile(expression);
    composed.set(name, compilation.ok ? variableType(compilation.compiled.type) : cel.dynType);
  }
  return language;
}
