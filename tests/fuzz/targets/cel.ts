/** Expressions in CEL: compiled without throwing, evaluated within their cost, or refused with an error of theirs. */
import assert from "node:assert/strict";
import { CelCostError, CelError, createEnvironment, dynType, fromJson, kubernetesLibraries, optionals, twoVariables } from "@coxswain/cel";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const grammar: Grammar = {
  expression: [
    "<scalar>",
    "<operand> <operator> <operand>",
    "<operand> ? <expression> : <expression>",
    "<operand>",
    "(<expression>)",
    "<operand>",
    "<operand>",
  ],
  operand: [
    "<scalar>",
    "self.<field>",
    "self.<field>[<expression>]",
    "[<items>]",
    "{<members>}",
    "<call>",
    "-<operand>",
    "!<operand>",
    "has(self.<field>)",
    "self.?<field>.orValue(<scalar>)",
  ],
  call: [
    "size(<expression>)",
    "<operand>.<method>(<items>)",
    "<operand>.all(x, <expression>)",
    "<operand>.map(x, x)",
    "<operand>.filter(i, i == <scalar>)",
    "<operand>.exists_one(x, x in self.list)",
    "<function>(<expression>)",
    "cel.bind(v, <expression>, v)",
    "[1,2].map(i, [i].map(j, <operand>))",
  ],
  function: [
    ..."int uint double string bytes bool type dyn duration timestamp url isURL quantity isQuantity ip isIP cidr semver optional.of".split(
      " ",
    ),
  ],
  method: [
    ..."contains startsWith endsWith matches size split join replace substring indexOf lowerAscii trim find findAll sum min max isSorted reverse format getHours getSeconds value".split(
      " ",
    ),
  ],
  field: ["text", "number", "list", "map", "flag", "missing", "double"],
  operator: [..."+ - * / % == != < <= > >= && || in".split(" ")],
  scalar: [
    "1",
    "-1",
    "0u",
    "1.5",
    "'a'",
    '"b"',
    "b'c'",
    "true",
    "null",
    "x",
    "'1h'",
    "'2024-01-01T00:00:00Z'",
    "9223372036854775807",
    "'''x'''",
    "r'\\d+'",
    "'%s'",
    "1e400",
  ],
  items: ["<expression>", "<expression>, <items>", ""],
  members: ["'a': <expression>", "<scalar>: <expression>, <members>", ""],
};

const environment = createEnvironment({
  variables: new Map([["self", dynType]]),
  libraries: [...kubernetesLibraries, optionals, twoVariables],
  limits: { sourceLength: 10_000, nodes: 10_000 },
});
const self = fromJson({ text: "some text, some more", number: 7, double: 1.5, list: [1, 2, 3, "a"], map: { a: 1, b: [2] }, flag: true });
const bindings = new Map([["self", self]]);
const costLimit = 20_000;

export const cel: FuzzTarget = {
  name: "cel",
  modules: ["cel/src"],
  dictionary: [
    ..."self . ( ) [ ] { } ? : , ' \" true null in && || == has( all( map( 1u 0x .matches( .format( duration( timestamp( \\x \\u".split(
      " ",
    ),
    "'''",
    "//",
  ],
  seeds: [
    "self.list.all(x, x > 0) && self.text.matches('^s.*$')",
    "self.map.a == 1 ? duration('1h').getHours() : size(self.text.split(','))",
    "quantity('1Gi').isGreaterThan(quantity('1M')) || isURL(self.text)",
    "'%s %d %.2f'.format(['a', 1, 1.5])",
  ],
  generate: (random) => textFrom(grammar, "expression", random),
  judge(input) {
    const compilation = environment.compile(input);
    if (!compilation.ok) {
      assert.ok(compilation.message.length > 0 && compilation.message.length < 200 * 16_384 * 2, "a message without end");
      return false;
    }
    const meter = { cost: 0 };
    try {
      const { cost } = compilation.compiled.program().evaluate(bindings, { costLimit, now: 0, meter });
      assert.ok(cost <= costLimit, `cost ${cost}`);
      return true;
    } catch (error) {
      if (error instanceof CelError || error instanceof CelCostError) return false;
      throw error;
    }
  },
};
