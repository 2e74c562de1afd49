/**
 * What a ValidatingAdmissionPolicy says of a request with one of its parameters.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import type { CelValue } from "@coxswain/cel";
import { type Evaluated, Evaluation, OutOfBudget, policyCostBudget } from "../../cel/evaluate.ts";
import { type ExpressionInputs, variablesOf } from "../../cel/expression-inputs.ts";
import type { CompiledValidation, PolicyEvaluator } from "./policy-evaluator.ts";

/** That a validation is not met, or could not be evaluated where the failure policy is Fail. */
export interface ValidationFailure {
  /** Of the validation in the policy. */
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

export interface ValidationResult {
  readonly failures: readonly ValidationFailure[];
  readonly auditAnnotations: readonly { readonly key: string; readonly value: string }[];
  /** Of audit annotations that could not be evaluated where the failure policy is Fail. */
  readonly auditErrors: readonly string[];
}

/** What follows from errors. */
interface FailureRule {
  readonly ignores: boolean;
}

const nothing: ValidationResult = { failures: [], auditAnnotations: [], auditErrors: [] };

export async function validatePolicy(
  policy: PolicyEvaluator,
  inputs: ExpressionInputs,
  failurePolicy: string | undefined,
): Promise<ValidationResult> {
  const rule: FailureRule = { ignores: failurePolicy === "Ignore" };
  const matched = await policy.matchConditions.evaluate(inputs);
  if (matched.type === "skips") return nothing;
  if (matched.type === "error") return failedWhole(matched.message, rule);
  try {
    const failures = await failuresOf(policy, inputs, rule);
    return { failures, ...(await auditAnnotationsOf(policy, inputs, rule)) };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failedWhole(error.message, rule);
  }
}

const failedWhole = (message: string, { ignores }: FailureRule): ValidationResult =>
  ignores ? nothing : { ...nothing, failures: [{ index: 0, message, reason: "" }] };

/** @throws OutOfBudget for the validations themselves */
async function failuresOf(
  { variables, validations }: PolicyEvaluator,
  inputs: ExpressionInputs,
  rule: FailureRule,
): Promise<readonly ValidationFailure[]> {
  const bindings = variablesOf(inputs);
  const evaluation = new Evaluation(bindings, variables, policyCostBudget);
  const evaluated: Evaluated[] = [];
  for (const { expression } of validations) evaluated.push(await evaluation.evaluate(expression));
  // Messages share what the validations have left, and may not ask the authorizer.
  const messages = await messagesOf(validations, new Evaluation(bindings, variables, evaluation.remaining));
  const failures: ValidationFailure[] = [];
  for (const [index, { given }] of validations.entries()) {
    const result = evaluated[index];
    const failed = result === undefined || !result.ok ? result?.message : messages.failure;
    if (failed !== undefined) {
      if (!rule.ignores) failures.push({ index, message: failed, reason: "" });
    } else if (result?.ok && result.value !== true) {
      failures.push({ index, message: messageOf(given, messages.values[index]), reason: given.reason ?? "Invalid" });
    }
  }
  return failures;
}

interface Messages {
  readonly values: readonly (CelValue | undefined)[];
  /** Of all validations, where the messages exceed what they may cost. */
  readonly failure: string | undefined;
}

async function messagesOf(validations: readonly CompiledValidation[], evaluation: Evaluation): Promise<Messages> {
  const values: (CelValue | undefined)[] = [];
  try {
    for (const { message } of validations) {
      const evaluated = message === undefined ? undefined : await evaluation.evaluate(message);
      values.push(evaluated?.ok ? evaluated.value : undefined);
    }
    return { values, failure: undefined };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return { values, failure: `failed messageExpression: ${error.message}` };
  }
}

/** In bytes. */
const maxMessageLength = 5 * 1024;

function messageOf({ message = "", expression = "" }: CompiledValidation["given"], evaluated: CelValue | undefined): string {
  const made = typeof evaluated === "string" ? evaluated.trim() : "";
  const usable = made !== "" && Buffer.byteLength(made) <= maxMessageLength && !made.includes("\n");
  return (usable ? made : message.trim()) || `failed expression: ${expression.trim()}`;
}

/** @throws OutOfBudget */
async function auditAnnotationsOf(
  { variables, auditAnnotations }: PolicyEvaluator,
  inputs: ExpressionInputs,
  rule: FailureRule,
): Promise<Omit<ValidationResult, "failures">> {
  if (auditAnnotations.length === 0) return { auditAnnotations: [], auditErrors: [] };
  const evaluation = new Evaluation(variablesOf({ ...inputs, authorize: undefined }), variables, policyCostBudget);
  const published: { readonly key: string; readonly value: string }[] = [];
  const auditErrors: string[] = [];
  for (const { key, value: expression } of auditAnnotations) {
    const evaluated = await evaluation.evaluate(expression);
    if (!evaluated.ok) {
      if (!rule.ignores) auditErrors.push(evaluated.message);
    } else if (typeof evaluated.value === "string") {
      const value = evaluated.value.trim();
      if (value !== "") published.push({ key, value });
    }
  }
  return { auditAnnotations: published, auditErrors };
}
