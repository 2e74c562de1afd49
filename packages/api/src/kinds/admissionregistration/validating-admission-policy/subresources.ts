import { field } from "@coxswain/machinery";
import { JsonPathError, parseJsonPath } from "@coxswain/schema/jsonpath";
import type { ExpressionWarning, ValidatingAdmissionPolicy } from "@coxswain/types/admissionregistration-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateConditions } from "../../../validation/conditions.ts";

export const validatingAdmissionPolicySubresources: Subresources<ValidatingAdmissionPolicy> = {
  status: {
    metadataPasses: [],
    resetFields: [["metadata"]],
    validateUpdate: ({ status = {} }) => {
      const out: Errors = [];
      validateWarnings(out, "status.typeChecking.expressionWarnings", status.typeChecking?.expressionWarnings ?? []);
      validateConditions(out, "status.conditions", status.conditions ?? []);
      return out;
    },
  },
};

function validateWarnings(out: Errors, path: string, warnings: readonly ExpressionWarning[]): void {
  for (const [i, { warning, fieldRef = "" }] of warnings.entries()) {
    if (!warning) out.push(field.required(`${path}[${i}].warning`));
    const trimmed = fieldRef.trim();
    if (trimmed === "") {
      out.push(field.required(`${path}[${i}].fieldRef`));
      continue;
    }
    const problem = jsonPathProblem(`{${trimmed}}`);
    if (problem !== undefined) out.push(field.invalid(`${path}[${i}].fieldRef`, trimmed, `invalid JSONPath: ${problem}`));
  }
}

function jsonPathProblem(path: string): string | undefined {
  try {
    parseJsonPath(path);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return error.message;
  }
}
