/**
 * What is only known at run time: schemas of custom resources, and the rules in them. Loaded when first needed, for it is
 * much, and most who use the rest never need it.
 */
export { checkSchema, type SchemaCheck, type SchemaTolerance } from "./check/check-schema.ts";
export { conversionProblem } from "./check/conversion.ts";
export { findField } from "./check/field-path.ts";
export { goSchema } from "./check/go-form.ts";
export { limitErrors as schemaLimitErrors } from "./check/limits.ts";
export { someSchema } from "./check/parts.ts";
export type { CheckedRule, DefaultRules, RuleChecker } from "./check/rule-checker.ts";
export { schemaTolerance } from "./check/tolerance.ts";
export * from "./custom-schema/custom-schema.ts";
export { ruleChecks } from "./rules/check-rules.ts";
export { unescapeName } from "./rules/escape.ts";
export { type CompiledRules, compileRules, type RuleFindings } from "./rules/validate-rules.ts";
export type { JsonSchema, ValidationRule } from "./structural/schema.ts";
export { supportedFormat } from "./validate/format.ts";
