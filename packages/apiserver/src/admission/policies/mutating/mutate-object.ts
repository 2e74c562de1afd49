/**
 * What one mutation of a policy makes of an object.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import { mergeConfiguration } from "@coxswain/apply";
import { ApplyConfigurationValue, CelError, CelList, CelMap, type CelValue, JsonPatchValue, toJson, typeNameProblems } from "@coxswain/cel";
import {
  applyJsonPatch,
  DecodeError,
  DecodeReport,
  deepEqual,
  failure,
  internalError,
  isObject,
  type KubeObject,
  StatusError,
} from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource } from "../../../contracts/admission.ts";
import type { ServedResource, ServedResources } from "../../../contracts/served-resource.ts";
import { decodePatched } from "../../../handlers/decode-patched.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import { Evaluation, OutOfBudget, policyCostBudget } from "../../cel/evaluate.ts";
import { type ExpressionInputs, variablesOf } from "../../cel/expression-inputs.ts";
import { kindOf } from "../../matching/attributes.ts";
import { kindResource } from "../../webhooks/mutated-object.ts";
import { failsTest, patchProblem } from "../../webhooks/patch-problem.ts";
import type { CompiledMutation, MutationEvaluator } from "./policy-evaluator.ts";

/** The mutation cannot be made: the failure policy decides. */
export class MutationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MutationError";
  }
}

interface Target {
  readonly served: Pick<ServedResources, "of" | "byKind">;
  readonly request: AdmissionRequest;
  readonly resource: AdmissionResource;
}

/** The object with the mutation, decoded and defaulted. @throws MutationError, StatusError for a result that is no object of the kind */
export async function mutateObject(
  { variables }: MutationEvaluator,
  { type, expression }: CompiledMutation,
  inputs: ExpressionInputs & { readonly object: Readonly<KubeObject> },
  served: Target["served"],
): Promise<Readonly<KubeObject>> {
  const { request, resource, object } = inputs;
  const target = { served, request, resource };
  const kind = kindResource(served, resource, request.subresource);
  if (kind === undefined) throw unknownKind(target);
  const value = await evaluate(new Evaluation(variablesOf(inputs), variables, policyCostBudget), expression);
  return type === "jsonPatch" ? patched(target, kind, object, value) : merged(target, kind, object, value);
}

async function evaluate(evaluation: Evaluation, expression: CompiledMutation["expression"]): Promise<CelValue> {
  if (!expression.compiled.ok) throw new MutationError(expression.compiled.problem);
  try {
    const evaluated = await evaluation.evaluate(expression);
    if (!evaluated.ok) throw new MutationError(evaluated.message);
    return evaluated.value;
  } catch (error) {
    throw error instanceof OutOfBudget ? new MutationError(error.message) : error;
  }
}

function merged(target: Target, kind: ServedResource, object: Readonly<KubeObject>, value: CelValue): Readonly<KubeObject> {
  if (!(value instanceof ApplyConfigurationValue)) throw new MutationError("unsupported return type from ApplyConfiguration expression");
  checkTypeNames(value);
  const configuration = { ...(jsonOf(value) as KubeObject), apiVersion: kind.apiVersion, kind: kind.definition.kind };
  const result = mergeConfiguration(kind.type, object, configuration);
  if (!result.ok) throw new MutationError(`error applying patch: ${result.problem}`);
  return result.object === object ? object : decoded(target, kind, result.object);
}

/** As Kubernetes makes native values of them: null is 0. */
function jsonOf(value: CelValue): unknown {
  if (value === null) return 0;
  if (value instanceof ApplyConfigurationValue) return value.json(jsonOf);
  if (value instanceof CelList) return Array.from(value, jsonOf);
  if (value instanceof CelMap) return Object.fromEntries(Array.from(value.keys(), (key) => [String(key), jsonOf(value.get(key) ?? null)]));
  return convert(value, "invalid return type: *dynamic.ObjectVal");
}

function patched(target: Target, kind: ServedResource, object: Readonly<KubeObject>, value: CelValue): Readonly<KubeObject> {
  if (!(value instanceof CelList)) throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
  const patch = Array.from(value, operationOf);
  if (patch.length === 0) return object;
  let result: unknown;
  try {
    result = applyJsonPatch(object, patch);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.code !== 422) throw new MutationError(`JSON Patch: ${error.message}`);
    if (failsTest(object, patch)) return object;
    throw new MutationError(`JSON Patch: ${patchProblem(object, patch)}`);
  }
  if (!isObject(result)) throw internalError("the result of the patch is no object");
  return decoded(target, kind, result as KubeObject);
}

function operationOf(value: CelValue): Readonly<Record<string, unknown>> {
  if (!(value instanceof JsonPatchValue))
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
  const { op, path, from, value: given } = value;
  if (given instanceof ApplyConfigurationValue) checkTypeNames(given, given.name);
  const json =
    given === undefined ? undefined : convert(given, "JSONPath valueExpression evaluated to a type that could not marshal to JSON");
  return { op, path, ...(from === "" ? {} : { from }), ...(given === undefined ? {} : { value: json }) };
}

function checkTypeNames(value: ApplyConfigurationValue, root?: string): void {
  const problems = typeNameProblems(value, root);
  if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join("\n")}`);
}

function convert(value: CelValue, problem: string): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new MutationError(`${problem}: ${error.message}`);
  }
}

/** Read and defaulted as if a client had sent it, with nothing in it that its type does not know. */
function decoded({ served, request }: Target, kind: ServedResource, result: Readonly<KubeObject>): KubeObject {
  const object = cloneJson(result as KubeObject);
  const isOther = object.kind !== kind.definition.kind;
  const report = new DecodeReport();
  try {
    const made = decodePatched({ resource: kind, name: request.name, subresource: request.subresource, served }, object, report);
    if (report.problems.length > 0) throw internalError(`strict decoding error: ${report.problems.join(", ")}`);
    kind.definition.strategy.defaults?.(made);
    return made;
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(isOther ? `failed to convert object: ${error.message}` : error.message);
    throw error;
  }
}

function unknownKind({ resource, request }: Target): StatusError {
  const { group, version, kind } = kindOf(resource, request.subresource);
  const delay = "There can be a delay between when CustomResourceDefinitions are created and when they are available.";
  return failure(503, "ServiceUnavailable", `Resource kind ${group}/${version}, Kind=${kind} not found. ${delay}`);
}

/** Whether a mutation has changed anything. */
export const isChanged = (before: Readonly<KubeObject>, after: Readonly<KubeObject>): boolean =>
  before !== after && !deepEqual(before, after);
