/** What `loadDynamic` loads. */
export { compileCustomSchema, compileRules } from "@coxswain/machinery/dynamic";
export { createExpressionCompiler } from "./kinds/admissionregistration/expressions.ts";
export { formatWarnings } from "./kinds/apiextensions/format-warnings.ts";
export { validateDefinition } from "./kinds/apiextensions/validate-definition.ts";
export { selectorProblem } from "./kinds/resource/device-selector.ts";
