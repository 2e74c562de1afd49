/**
 * Where the compiler of CEL rules plugs in. What it finds out about each rule becomes errors here: bad expressions, and
 * rules that may cost too much, alone or together.
 */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { goRule } from "./go-form.ts";

/** Costs are numbers of CEL's cost units; what is too large to count is Infinity. */
export interface CheckedRule {
  readonly error?: { readonly missing: boolean; readonly detail: string };
  readonly messageExpressionError?: string;
  /** Of one evaluation, at most. */
  readonly cost: number;
  readonly messageExpressionCost?: number;
  /** How often the schema can apply in one object of the greatest size that a request may have. */
  readonly maxOccurrences: number;
  readonly usesOldSelf: boolean;
}

/**
 * Compiles the rules of one schema, in their order; `resource` says that it has apiVersion, kind and metadata. A text says
 * why there can be no rules.
 */
export type RuleChecker = (schema: JsonSchema, options: { readonly resource: boolean }) => readonly CheckedRule[] | string;

/** Runs the rules of a schema, and those inside it, on a default: as a value that was there before, and as a new one. */
export type DefaultRules = (schema: JsonSchema, value: unknown, path: string, options: { readonly resource: boolean }) => FieldError[];

const maxRuleCost = 10_000_000;
const maxTotalCost = 100_000_000;

/** What all rules of a version cost together. */
export interface RuleCosts {
  total: number;
  expensive: { readonly path: string; readonly cost: number }[];
}

export interface RulePlace {
  readonly path: string;
  /** How often objects can have a value here by the limits of the lists and maps around it; Infinity when there is none. */
  readonly occurrences: number;
  /** The nearest place to the root below which old and new values cannot be correlated. */
  readonly uncorrelatable: string | undefined;
  /** A schema that was accepted before may keep rules that cost too much. */
  readonly unchanged: boolean;
}

export function ruleErrors(
  checked: readonly CheckedRule[] | string,
  rules: readonly ValidationRule[],
  place: RulePlace,
  costs: RuleCosts,
): FieldError[] {
  if (typeof checked === "string") return [field.internal(`${place.path}.x-kubernetes-validations`, checked)];
  const run: Run = { out: [], place, costs };
  for (const [i, rule] of rules.entries()) {
    const found = checked[i];
    if (found !== undefined) oneRule(run, found, rule, `${place.path}.x-kubernetes-validations[${i}]`);
  }
  return run.out;
}

/** Over the rules of one schema. */
interface Run {
  readonly out: FieldError[];
  readonly place: RulePlace;
  readonly costs: RuleCosts;
}

function oneRule(run: Run, found: CheckedRule, rule: ValidationRule, path: string): void {
  const { out, place } = run;
  const times = Number.isFinite(place.occurrences) ? place.occurrences : found.maxOccurrences;
  observe(run, `${path}.rule`, "estimated rule cost", product(found.cost, times));
  const { error, messageExpressionError, messageExpressionCost } = found;
  if (error !== undefined) {
    out.push(error.missing ? field.required(`${path}.rule`, error.detail) : field.invalid(`${path}.rule`, goRule(rule), error.detail));
  }
  if (messageExpressionError !== undefined) {
    out.push(field.invalid(`${path}.messageExpression`, goRule(rule), messageExpressionError));
  } else if (messageExpressionCost !== undefined) {
    observe(run, `${path}.messageExpression`, "estimated messageExpression cost", messageExpressionCost);
  }
  if (!found.usesOldSelf) {
    if (rule.optionalOldSelf !== undefined) {
      out.push(field.invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
    }
  } else if (place.uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    out.push(field.invalid(`${path}.rule`, rule.rule, why));
  }
}

function observe({ out, place, costs }: Run, path: string, what: string, cost: number): void {
  if (!place.unchanged && cost > maxRuleCost) out.push(field.forbidden(path, tooCostly(what, cost, maxRuleCost)));
  costs.total += cost;
  if (cost < maxTotalCost / 100) return;
  costs.expensive = [...costs.expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
}

/** What is wrong with the rules of a version together; `path` is its schema's. */
export function totalCostErrors({ total, expensive }: RuleCosts, path: string): FieldError[] {
  if (total <= maxTotalCost) return [];
  const why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [...expensive.map((each) => field.forbidden(each.path, why)), field.forbidden(path, tooCostly(what, total, maxTotalCost))];
}

function tooCostly(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const hint = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
  return `${what} exceeds budget by factor of ${shown} ${hint}`;
}

/** How many values there can be inside the schema, where there can be `outside` of itself; Infinity when nothing bounds them. */
export function occurrencesInside(schema: JsonSchema, outside: number): number {
  const inside = schema.type === "array" ? schema.maxItems : isMap(schema) ? schema.maxProperties : 1;
  if (inside === undefined || !Number.isFinite(outside)) return Number.POSITIVE_INFINITY;
  return product(outside, Math.max(0, Number(inside)));
}

const isMap = ({ type, additionalProperties }: JsonSchema): boolean => type === "object" && additionalProperties !== undefined;

/** Never NaN: of what cannot be there, even the costliest rule costs nothing. */
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);
