/** What `loadDynamic` loads. */
export { compileCustomSchema, compileRules } from "@coxswain/schema";
export { formatWarnings } from "../kinds/apiextensions/custom-resource-definition/format-warnings.ts";
export { validateDefinition } from "../kinds/apiextensions/custom-resource-definition/validation.ts";
export { createExpressionCompiler } from "../validation/admissionregistration/expressions.ts";
export { selectorProblem } from "../validation/resource/device-selector.ts";
