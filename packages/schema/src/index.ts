/**
 * What is only known at run time: schemas of custom resources, and the rules in them. Loaded when first needed, for it is
 * much, and most who use the rest never need it.
 */
export { checkSchema, type SchemaCheck, type SchemaTolerance } from "./structural/check/check-schema.ts";
export { conversionProblem } from "./structural/check/conversion.ts";
export { findField } from "./structural/check/field-path.ts";
export { goSchema } from "./structural/check/go-form.ts";
export { limitErrors as schemaLimitErrors } from "./structural/check/limits.ts";
export { someSchema } from "./structural/check/parts.ts";
export type { CheckedRule, DefaultRules, RuleChecker } from "./structural/check/rule-checker.ts";
export { schemaTolerance } from "./structural/check/tolerance.ts";
export * from "./structural/custom-schema.ts";
export { ruleChecks } from "./structural/rules/check-rules.ts";
export { type CompiledRules, compileRules, type RuleFindings } from "./structural/rules/validate-rules.ts";
export type { JsonSchema, ValidationRule } from "./structural/schema.ts";
export { supportedFormat } from "./structural/validate/format.ts";
