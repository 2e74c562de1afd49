/**
 * The rules of a schema on an object: in Kubernetes' order, from a value to what is inside it, and with its words.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
import type { Bindings } from "@coxswain/cel";
import { CelError, CelOptional } from "@coxswain/cel";
import type { FieldError } from "@coxswain/machinery";
import { isObject } from "@coxswain/machinery";
import { entryOf, type Path, propertyOf } from "../structural/field-path.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { itemsByKey } from "../validate/correlation.ts";
import type { ValidationBudget } from "../validate/work.ts";
import { type CompiledRule, RuleCompiler } from "./compile-rule.ts";
import { type Budget, evaluate, usableMessage } from "./evaluate.ts";
import { placeName, type Unchanged, unchangedSince } from "./ratchet.ts";
import { evaluationProblem, messageProblem, outOfBudget, plainMessage, ruleBroken, tooCostly, unanswered } from "./rule-errors.ts";
import { type RuleTree, RuleTrees } from "./rule-tree.ts";
import { SchemaValues } from "./schema-value.ts";

/** What rules found to be wrong with one object. */
export interface RuleFindings {
  readonly errors: FieldError[];
  /** What is wrong but was so before, and is left as it was: the first of it. */
  readonly tolerated: FieldError[];
}

/**
 * The compiled `x-kubernetes-validations` rules of a schema.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export interface CompiledRules {
  /** With `old`, rules about changes run, and rules that what did not change breaks are tolerated. */
  validate(value: unknown, old?: unknown): RuleFindings;
}

/** Of one object. */
const maxTotalCost = 10_000_000;
/** More errors are not reported. */
const maxErrors = 1_000;
const maxTolerated = 100;
const maxCharacters = 1024 * 1024;

export interface RuleOptions {
  readonly resource: boolean;
  /** Read again for each object. */
  readonly validationBudget?: (() => ValidationBudget) | undefined;
}

/**
 * Undefined for a schema without rules. `resource` is for schemas of objects that have apiVersion, kind and metadata.
 * Nothing is compiled before there is a value.
 */
export function compileRules(schema: JsonSchema, { resource, validationBudget }: RuleOptions): CompiledRules | undefined {
  const tree = new RuleTrees(new RuleCompiler()).of(schema, resource);
  if (tree === undefined) return undefined;
  return {
    validate: (value, old) => {
      const unchanged = old === undefined ? never : unchangedSince(schema, value, old);
      return run(tree, { value, old, path: undefined, unchanged, budget: newBudget(validationBudget?.()) });
    },
  };
}

export interface RuleRun {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: Path | undefined;
  readonly unchanged: Unchanged;
  readonly budget: Budget;
}

/** No error is tolerated. */
export const never: Unchanged = () => false;

export const newBudget = (validationBudget?: ValidationBudget): Budget => ({ left: maxTotalCost, validationBudget });

/** Runs all rules of a tree, as far as the budget goes. */
export function run(tree: RuleTree, { value, old, path, unchanged, budget }: RuleRun): RuleFindings {
  const walk: Walk = { errors: [], tolerated: [], unchanged, budget, path, values: new SchemaValues(), characters: 0 };
  visit(walk, tree, value, old);
  return walk;
}

interface Walk extends RuleFindings {
  readonly unchanged: Unchanged;
  readonly budget: Budget;
  readonly values: SchemaValues;
  /** Where the value is that `visit` is called with. Whoever visits what is inside a value has read the value's own before. */
  path: Path | undefined;
  characters: number;
}

const isDone = ({ budget, errors, characters }: Walk): boolean =>
  budget.left < 0 || errors.length >= maxErrors || characters > maxCharacters;

/** Stops when nothing is left to spend. Null has no rules of its own: those around it have to look. */
function visit(walk: Walk, tree: RuleTree, value: unknown, old: unknown): void {
  if (value === null || value === undefined) return;
  if (tree.hasRules) runRules(walk, tree, value, old ?? undefined);
  if (Array.isArray(value)) visitItems(walk, tree, value, old);
  else if (isObject(value)) visitFields(walk, tree, value, isObject(old) ? old : {});
}

type Json = Readonly<Record<string, unknown>>;

function visitFields(walk: Walk, { entries, properties }: RuleTree, value: Json, old: Json): void {
  const { path } = walk;
  if (entries !== undefined) {
    for (const key of Object.keys(value)) {
      if (isDone(walk)) return;
      walk.path = entryOf(path, key);
      visit(walk, entries, value[key], ownOf(old, key));
    }
  }
  for (const [name, tree] of properties) {
    if (isDone(walk)) return;
    if (!Object.hasOwn(value, name)) continue;
    walk.path = propertyOf(path, name);
    visit(walk, tree, value[name], ownOf(old, name));
  }
}

const ownOf = (json: Json, name: string): unknown => (Object.hasOwn(json, name) ? json[name] : undefined);

/** Only lists whose items have keys correlate new items with old ones. */
function visitItems(walk: Walk, { entries, node }: RuleTree, value: readonly unknown[], old: unknown): void {
  if (entries === undefined) return;
  const { path } = walk;
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = node.schema;
  const oldOf = type === "map" && Array.isArray(old) ? itemsByKey(old, keys) : undefined;
  for (const [i, item] of value.entries()) {
    if (isDone(walk)) return;
    walk.path = entryOf(path, i);
    visit(walk, entries, item, oldOf?.(item));
  }
}

function runRules(walk: Walk, tree: RuleTree, value: unknown, old: unknown): void {
  const { rules, node } = tree;
  const place = { value, type: node.schema.type, path: walk.path };
  const variables = variablesOf(walk.values, tree, value, old);
  for (const compiled of rules) {
    if (walk.budget.left <= 0) {
      giveUp(walk, place, outOfBudget);
      return;
    }
    if (compiled.error !== undefined) fail(walk, place, `rule compile error: ${compiled.error}`);
    else if (typeof variables === "string") fail(walk, place, evaluationProblem(variables, compiled.rule));
    else if (!compiled.usesOldSelf || old !== undefined || compiled.rule.optionalOldSelf === true)
      runRule(walk, compiled, variables, place);
    if (isDone(walk)) return;
  }
}

function runRule(walk: Walk, compiled: CompiledRule, variables: Variables, place: Place): void {
  const { rule, program } = compiled;
  if (program === undefined) return;
  const outcome = evaluate(program, rule.optionalOldSelf === true ? variables.optional() : variables.plain, walk.budget);
  switch (outcome.kind) {
    case "value":
      if (outcome.value !== true) report(walk, compiled, variables.plain, place);
      break;
    case "failed":
      fail(walk, place, evaluationProblem(outcome.message, rule));
      break;
    case "tooCostly":
      giveUp(walk, place, tooCostly(outcome.message, rule));
      break;
    case "outOfBudget":
      giveUp(walk, place, outOfBudget);
  }
}

function fail(walk: Walk, { type, path }: Place, detail: string): void {
  add(walk, walk.errors, unanswered(placeName(path, ""), type, detail));
}

function add(walk: Walk, to: FieldError[], error: FieldError): void {
  to.push(error);
  walk.characters += error.message.length;
}

function giveUp(walk: Walk, place: Place, detail: string): void {
  fail(walk, place, detail);
  walk.budget.left = -1;
}

interface Place {
  readonly value: unknown;
  readonly type: string | undefined;
  readonly path: Path | undefined;
}

/** Rules about changes are not tolerated: that nothing has changed is no excuse for them. */
function report(walk: Walk, { rule, message, usesOldSelf, fieldPath }: CompiledRule, variables: Bindings, place: Place): void {
  const { type, path } = place;
  const tolerated = !usesOldSelf && walk.unchanged(path);
  if (tolerated && walk.tolerated.length >= maxTolerated) return;
  const to = tolerated ? walk.tolerated : walk.errors;
  const field = placeName(path, fieldPath);
  const outcome = message && evaluate(message, variables, walk.budget);
  if (outcome?.kind === "outOfBudget" || outcome?.kind === "tooCostly") {
    add(walk, to, unanswered(field, type, messageProblem(outcome.kind, rule)));
    walk.budget.left = -1;
    return;
  }
  const detail = (outcome && usableMessage(outcome)) ?? plainMessage(rule);
  add(walk, to, ruleBroken(field, place, detail, rule.reason));
}

interface Variables {
  readonly plain: Bindings;
  /** For rules that run without an old value too. */
  optional(): Bindings;
}

/** Or what is wrong with the value: a time, for example, that the schema takes for one but expressions do not. */
function variablesOf(values: SchemaValues, { node, rules }: RuleTree, value: unknown, old: unknown): Variables | string {
  try {
    const self = values.read(value, node);
    const oldSelf = old !== undefined && rules.some((rule) => rule.usesOldSelf) ? values.read(old, node) : undefined;
    const plain = new Map([["self", self]]);
    if (oldSelf !== undefined) plain.set("oldSelf", oldSelf);
    return { plain, optional: () => new Map([...plain, ["oldSelf", new CelOptional(oldSelf)]]) };
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}
