/** Against recorded answers of Kubernetes 1.36.3; tests/conformance/cel.test.ts asks again. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { createCostEstimator } from "../cost/estimate.ts";
import type { Compiled } from "../environment/environment.ts";
import { type CelType, dynType, intType, listOf, mapOf, stringType } from "../types/type.ts";
import { runtimeTypeName } from "../types/type-text.ts";
import { ArrayList, EntriesMap } from "../values/collections.ts";
import { formatGoFloat } from "../values/number-text.ts";
import { CelDuration, CelError, CelList, CelMap, CelOptional, CelTimestamp, CelUint, type CelValue } from "../values/value.ts";
import { typeOfValue } from "../values/value-type.ts";
import { authorizerType } from "./authorizer.ts";
import { kubernetesLibraries } from "./kubernetes.ts";
import { textOf } from "./text.ts";

interface Answer {
  readonly about: string;
  readonly expr: string;
  readonly issues?: string;
  readonly min: number;
  readonly max: number;
  readonly programError?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost: number;
}

const answers = readFileSync(join(import.meta.dirname, "kubernetes.answers.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line): Answer => JSON.parse(line));

const list = (...items: CelValue[]) => new ArrayList(items);
const map = (entries: Readonly<Record<string, CelValue>>) => EntriesMap.of(Object.entries(entries));

const variables: Readonly<Record<string, readonly [type: CelType, value?: CelValue]>> = {
  authorizer: [authorizerType],
  s: [stringType, "hello, wörld"],
  t: [stringType, "lo"],
  u: [stringType, "v1.2.3"],
  i: [intType, 2n],
  d: [dynType, map({ a: 1n, s: "Abc", b: list(2n, 1n) })],
  l: [listOf(intType), list(3n, 1n, 2n)],
  ls: [listOf(stringType), list("b", "a", "cc")],
  ll: [listOf(listOf(stringType)), list(list("x"), list("y", "z"))],
  m: [mapOf(stringType, stringType), map({ k: "v", q: "w" })],
};

/** The most that they may hold; of `u` nothing is known. */
const largest = new Map(
  Object.entries({
    s: 20,
    t: 7,
    l: 10,
    "l.@items": 1,
    ls: 5,
    "ls.@items": 30,
    m: 8,
    "m.@keys": 12,
    "m.@values": 40,
    ll: 4,
    "ll.@items": 6,
    "ll.@items.@items": 9,
  }),
);

const environment = createEnvironment({
  variables: new Map(Object.entries(variables).map(([name, [type]]) => [name, type])),
  libraries: kubernetesLibraries,
});
const bindings = new Map(Object.entries(variables).flatMap(([name, [, value]]) => (value === undefined ? [] : [[name, value] as const])));
const estimate = createCostEstimator({ libraries: kubernetesLibraries });

for (const [about, expected] of Map.groupBy(answers, (answer) => answer.about)) {
  test(`${about}: as Kubernetes answers`, () => {
    assert.deepEqual(
      expected.map(({ expr }) => answer(about, expr)),
      expected,
    );
  });
}

function answer(about: string, expr: string): Answer {
  const compilation = environment.compile(expr);
  if (!compilation.ok) return { about, expr, issues: compilation.message, min: 0, max: 0, cost: 0 };
  const { min, max } = estimate(compilation.compiled, (path) => {
    const size = largest.get(path.join("."));
    return size === undefined ? undefined : { min: 0, max: size };
  });
  return { about, expr, min, max, ...evaluate(compilation.compiled) };
}

function evaluate(compiled: Compiled): Pick<Answer, "value" | "error" | "programError" | "cost"> {
  try {
    const program = compiled.program();
    try {
      const { value, cost } = program.evaluate(bindings);
      return { value: show(value), cost };
    } catch (error) {
      return { error: messageOf(error), cost: 0 };
    }
  } catch (error) {
    return { programError: messageOf(error), cost: 0 };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof CelError) return error.message;
  throw error;
}

function show(value: CelValue): string {
  if (typeof value === "string" || value === null || typeof value === "boolean") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${value.toHex()}`;
  if (value instanceof CelUint) return `${value.value}u`;
  if (typeof value === "number") return formatGoFloat(value);
  if (value instanceof CelOptional) return value.value === undefined ? "none" : `optional(${show(value.value)})`;
  if (value instanceof CelList) return `[${Array.from(value, show).join(", ")}]`;
  if (value instanceof CelMap) return `{${showEntries(value).toSorted().join(", ")}}`;
  if (typeof value === "bigint" || value instanceof CelDuration || value instanceof CelTimestamp) return textOf(value) ?? "";
  return `<${runtimeTypeName(typeOfValue(value))}>`;
}

const showEntries = (entries: CelMap): string[] => Array.from(entries.keys(), (key) => `${show(key)}: ${show(entries.get(key) ?? null)}`);
