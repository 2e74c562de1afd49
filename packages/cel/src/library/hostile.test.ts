/** Expressions that would fill the memory or never end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { stringType } from "../types/type.ts";
import { CelCostError, CelError } from "../values/value.ts";
import { kubernetesLibraries } from "./kubernetes.ts";

const environment = createEnvironment({ variables: new Map([["s", stringType]]), libraries: kubernetesLibraries });
const long = "a".repeat(1_000_000);

function evaluate(expr: string, costLimit = 100_000_000) {
  const compilation = environment.compile(expr);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  return compilation.compiled.program().evaluate(new Map([["s", long]]), { costLimit }).value;
}

const cases = [
  { expr: "s.replace('', s)", error: CelError },
  { expr: "s.replace('a', s)", error: CelError },
  { expr: "s.split('').join(s)", error: CelError },
  { expr: "lists.range(9223372036854775807).size() > 0", error: CelCostError },
  { expr: "lists.range(9223372036854775807).exists(x, x < 0)", error: CelCostError },
  { expr: "s.findAll('(((a|b)*)*)*c')", result: 0 },
  { expr: "sets.contains(s.split(''), s.split(''))", error: CelCostError },
  { expr: "s.split('').distinct()", error: CelCostError },
  { expr: "'%.999999999f'.format([0.1]).size() < 2000", result: true },
  { expr: "'%.999999999e'.format([0.1]).size()", result: 1_000_000n },
  { expr: "isSemver(s.replace('a', '9') + '.0.0')", result: false },
  { expr: "isQuantity(s.replace('a', '9'))", result: false },
  { expr: "format.byte().validate(s).hasValue()", result: false },
  { expr: "format.byte().validate(s + '!').hasValue()", result: true },
  { expr: "format.dns1123Subdomain().validate(s.replace('a', 'a.')).hasValue()", result: true },
  { expr: "isURL('https://' + s.replace('a', '%41'))", result: false },
  { expr: "isIP(s) || isCIDR(s) || ip.isCanonical('::1') == isURL(s)", result: false },
];

for (const { expr, error, result } of cases) {
  test(`ends: ${expr}`, () => {
    if (error !== undefined) assert.throws(() => evaluate(expr), error);
    else if (result === 0) evaluate(expr);
    else assert.equal(evaluate(expr), result);
  });
}
