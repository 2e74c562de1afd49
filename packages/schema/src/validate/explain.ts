/**
 * What is wrong with a value, in the order and the words of Kubernetes. Asked only about objects that are not valid.
 *
 * Where no alternative of anyOf or oneOf fits, the errors of the one that came nearest are reported: of the one with the most
 * matches, which every check that passes adds to.
 */
import type { FieldError, JsonObject } from "@coxswain/machinery";
import { goQuote } from "@coxswain/machinery";
import type { Correlation } from "./correlation.ts";
import { requiredValue } from "./problem.ts";
import { fieldOfName, forbiddenProperty, plainError, type Rule, typeError } from "./rule.ts";
import type { Alternatives, ValueSchema } from "./value-schema.ts";
import { findTypeMismatch } from "./value-type.ts";
import { type Work, workOfAlternative, workOfEnumValue } from "./work.ts";

/** @param old of the same value before, where it may be tolerated @throws TooMuchWork */
export function explain(schema: ValueSchema, value: unknown, old: Correlation | undefined, work: Work): readonly FieldError[] {
  return check(schema, value, old, new Findings("", work)).errors;
}

/** Whoever sends more that is wrong reads no more of it, and must not keep the server busy with it. */
const maxErrors = 1000;
const maxCharacters = 1024 * 1024;

/** What is wrong with one value. */
class Findings {
  /** The value's, as errors show it. */
  readonly name: string;
  /** What all checks of the object share. */
  readonly work: Work;
  /** By their texts: nothing is reported twice. Made for the first, for most values have none. */
  #errors: Map<string, FieldError> | undefined;
  matches = 0;
  #characters = 0;

  constructor(name: string, work: Work) {
    this.name = name;
    this.work = work;
  }

  /** Nothing yet, of another value or of the same by another schema. */
  empty(name = this.name): Findings {
    return new Findings(name, this.work);
  }

  get errors(): readonly FieldError[] {
    return [...(this.#errors?.values() ?? [])];
  }

  get count(): number {
    return this.#errors?.size ?? 0;
  }

  get full(): boolean {
    return this.count >= maxErrors || this.#characters > maxCharacters;
  }

  add(error: FieldError): void {
    this.#keep(`${error.type} ${error.field} ${error.message}`, error);
  }

  merge(other: Findings): void {
    if (other.#errors !== undefined) for (const [key, error] of other.#errors) this.#keep(key, error);
    this.matches += other.matches;
  }

  /** Takes no error for one. */
  tolerate(): void {
    this.#errors = undefined;
  }

  #keep(key: string, error: FieldError): void {
    if (this.full || this.#errors?.has(key)) return;
    this.#errors ??= new Map();
    this.#errors.set(key, error);
    this.#characters += key.length;
  }
}

/** Fills `findings` and returns them. What has not changed is no error. It matches as much as before. */
function check(schema: ValueSchema, value: unknown, old: Correlation | undefined, findings: Findings): Findings {
  const { name, work } = findings;
  checkType(schema, value, findings);
  if (value !== null) checkContent(schema, value, old, findings);
  if (schema.enum !== undefined && !schema.enum.holds(value, work)) {
    work.spend(schema.enum.size * workOfEnumValue);
    findings.add(schema.enum.error(value, name));
  }
  if (findings.count > 0 && old?.equal === true) findings.tolerate();
  return findings;
}

function checkType(schema: ValueSchema, value: unknown, findings: Findings): void {
  const mismatch = findTypeMismatch(schema, value);
  if (mismatch !== undefined) findings.add(typeError(findings.name, mismatch.expected, mismatch.found));
  else if (value === null || schema.types.length > 0 || schema.format !== "") findings.matches++;
}

/** Each validator that Kubernetes finds applicable is a match, whatever it finds; some count twice. */
function checkContent(schema: ValueSchema, value: unknown, old: Correlation | undefined, findings: Findings): void {
  const appliesType = schema.types.length > 0 || schema.format !== "";
  findings.matches += appliesType ? 5 : 4;
  if (schema.alternatives !== undefined) checkAlternatives(schema.alternatives, value, findings);
  switch (typeof value) {
    case "string": {
      const broken = schema.text.find((rule) => !rule.holds(value, findings.work));
      if (broken !== undefined) findings.add(broken.error(value, findings.name));
      if (schema.textFormat !== undefined) checkRules([schema.textFormat], value, findings);
      findings.matches += schema.textFormat === undefined ? 1 : 2;
      break;
    }
    case "number":
    case "bigint":
      checkRules(schema.numbers, value, findings);
      findings.matches += 2;
      break;
    case "object":
      if (Array.isArray(value)) checkList(schema, value, old, findings);
      else if (value !== null) checkObject(schema, value as JsonObject, old, findings);
  }
}

function checkRules<T>(rules: readonly Rule<T>[], value: T, findings: Findings): void {
  for (const rule of rules) if (!rule.holds(value, findings.work)) findings.add(rule.error(value, findings.name));
}

function checkList(schema: ValueSchema, list: readonly unknown[], old: Correlation | undefined, findings: Findings): void {
  const { items } = schema;
  for (let i = 0; items !== undefined && i < list.length; i++) {
    if (findings.full) return;
    findings.merge(check(items, list[i], old?.index(i), findings.empty(`${findings.name}[${i}]`)));
  }
  checkRules(schema.lists, list, findings);
  findings.matches += 2;
}

function checkObject(schema: ValueSchema, object: JsonObject, old: Correlation | undefined, findings: Findings): void {
  const { properties, additional } = schema;
  const { name } = findings;
  checkRules(schema.objects, object, findings);
  for (const key in object) {
    const property = properties.get(key);
    const child = property ?? additional;
    if (child === undefined || object[key] === undefined) continue;
    if (findings.full) return;
    const childName = property !== undefined && name === "" ? key : `${name}.${key}`;
    if (child === "forbidden") findings.add(forbiddenProperty(name, key));
    else findings.merge(check(child, object[key], isRootType(name, key) ? undefined : old?.key(key), findings.empty(childName)));
  }
  for (const key of schema.required) if (!Object.hasOwn(object, key)) findings.add(requiredValue(fieldOfName(`${name}.${key}`)));
  findings.matches++;
}

/** The version of an object always changes, as both are read at one version. */
const isRootType = (name: string, key: string): boolean => name === "" && (key === "kind" || key === "apiVersion");

function checkAlternatives({ anyOf, oneOf, allOf, not }: Alternatives, value: unknown, findings: Findings): void {
  findings.work.spend((allOf.length + anyOf.length + oneOf.length) * workOfAlternative.explain);
  if (anyOf.length > 0) checkAnyOf(anyOf, value, findings);
  if (oneOf.length > 0) checkOneOf(oneOf, value, findings);
  if (allOf.length > 0) checkAllOf(allOf, value, findings);
  if (not !== undefined && checkAlone(not, value, findings).count === 0)
    findings.add(plainError(`${goQuote(findings.name)} must not validate the schema (not)`));
}

/** The same value by one more schema; its errors are no errors of the value yet. Nothing in alternatives is tolerated. */
const checkAlone = (schema: ValueSchema, value: unknown, findings: Findings): Findings => check(schema, value, undefined, findings.empty());

function checkAnyOf(schemas: readonly ValueSchema[], value: unknown, findings: Findings): void {
  let nearest: Findings | undefined;
  for (const schema of schemas) {
    const result = checkAlone(schema, value, findings);
    if (result.count === 0) {
      findings.merge(result);
      return;
    }
    if (nearest === undefined || result.matches > nearest.matches) nearest = result;
  }
  findings.add(plainError(`${goQuote(findings.name)} must validate at least one schema (anyOf)`));
  if (nearest !== undefined) findings.merge(nearest);
}

function checkOneOf(schemas: readonly ValueSchema[], value: unknown, findings: Findings): void {
  const results = schemas.map((schema) => checkAlone(schema, value, findings));
  const valid = results.filter((result) => result.count === 0);
  const [first] = valid;
  if (valid.length !== 1) {
    const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
    findings.add(plainError(`${goQuote(findings.name)} must validate one and only one schema (oneOf). ${found}`));
    if (valid.length === 0) findings.merge(results.reduce((nearest, result) => (result.matches > nearest.matches ? result : nearest)));
  } else if (first !== undefined) findings.merge(first);
}

function checkAllOf(schemas: readonly ValueSchema[], value: unknown, findings: Findings): void {
  let valid = 0;
  for (const schema of schemas) {
    const result = checkAlone(schema, value, findings);
    if (result.count === 0) valid++;
    findings.merge(result);
  }
  if (valid < schemas.length)
    findings.add(plainError(`${goQuote(findings.name)} must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`));
}
