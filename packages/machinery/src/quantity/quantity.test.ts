import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseQuantity, type Quantity, quantityOf, quantityProblem } from "./quantity.ts";

const q = (text: string): Quantity => parseQuantity(text)!;

/** What resource.Quantity of k8s.io/apimachinery 0.36.3 prints. */
const printed: readonly [string, string][] = [
  ["0", "0"],
  ["0.0", "0"],
  ["1.5", "1500m"],
  ["1.500", "1.500"],
  ["100m", "100m"],
  ["1000m", "1"],
  ["0.1", "100m"],
  ["+5", "+5"],
  ["05", "05"],
  ["1000k", "1M"],
  ["1e3", "1e3"],
  ["12E6", "12E6"],
  ["1200e4", "12e6"],
  ["1Ki", "1Ki"],
  ["1024Ki", "1Mi"],
  ["1000Ki", "1000Ki"],
  ["0.5Ki", "512"],
  ["1.5Gi", "1536Mi"],
  ["0.0000000001", "1n"],
  ["-0.0000000001", "-1n"],
  ["16Ei", "9223372036854775807"],
  ["-16Ei", "-9223372036854775807"],
  ["12345678901234567890.123456789012m", "12345678901234567890123457n"],
  [".", "0"],
  ["-", "0"],
];
for (const [text, expect] of printed) test(`${text} prints as ${expect}`, () => assert.equal(q(text).toString(), expect));

test("no suffix is large enough: an exponent keeps the amount", () => assert.equal(q("1000E").toString(), "1e21"));

const refused: readonly [string, RegExp][] = [
  ["", /must match the regular expression/],
  ["1 ", /must match the regular expression/],
  ["1.2.3", /must match the regular expression/],
  ["1e", /parse quantity's suffix/],
  ["1mm", /parse quantity's suffix/],
  ["1e999999999999", /parse quantity's suffix/],
  ["e-11", /numeric part/],
];
for (const [text, why] of refused) {
  test(`${JSON.stringify(text)} is refused`, () => {
    assert.equal(parseQuantity(text), undefined);
    assert.match(quantityProblem(text) ?? "", why);
  });
}

test("zero takes the format of what is added", () => assert.equal(q("0").add(q("2048")).add(q("0")).toString(), "2048"));
test("a sum keeps its own format", () => assert.equal(q("1Gi").add(q("1073741824")).toString(), "2Gi"));
test("thousandths round away from zero", () => {
  assert.deepEqual([q("1u").milli(), q("-1u").milli(), q("1500u").milli(), q("2").milli()], [1n, -1n, 2n, 2000n]);
  assert.equal(q("1u").roundUp(-3).toString(), "1m");
  assert.equal(q("1.1").value(), 2n);
});

const quantities = fc
  .record({
    mantissa: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    exponent: fc.integer({ min: -9, max: 12 }),
    format: fc.constantFrom("DecimalSI" as const, "BinarySI" as const, "DecimalExponent" as const),
  })
  .map(({ mantissa, exponent, format }) => quantityOf(mantissa, format, exponent));

test("printing and parsing gives an equal amount; a decimal one prints the same again", () =>
  fc.assert(
    fc.property(quantities, (a) => {
      const again = q(a.toString());
      // Past int64, binary amounts are capped when read.
      if (a.format === "BinarySI") return a.toString().endsWith("i") || again.compare(a) === 0;
      return again.compare(a) === 0 && again.toString() === a.toString();
    }),
  ));

test("adding and subtracting agree", () =>
  fc.assert(fc.property(quantities, quantities, (a, b) => a.add(b).sub(b).compare(a) === 0 && a.add(b).compare(b.add(a)) === 0)));

test("compare is the sign of the difference", () =>
  fc.assert(fc.property(quantities, quantities, (a, b) => a.compare(b) === a.sub(b).sign())));
