/** Quantities: a fraction of two bigints is the model. */
import assert from "node:assert/strict";
import { canonicalQuantity, parseQuantity, type Quantity, quantityProblem } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const grammar: Grammar = {
  quantity: ["<sign><digits><suffix>", "<sign><digits>.<digits><suffix>", "<sign>.<digits><suffix>", "<digits>.<suffix>"],
  sign: ["", "+", "-"],
  digits: ["1", "<digit>", "<digit><digits>", "0<digits>", "<digits>000"],
  digit: [..."0123456789"],
  suffix: ["", ..."n u m k M G T P E Ki Mi Gi Ti Pi Ei e3 E-3 e+9 e18 e-9 e1000 e1001 K mi".split(" "), "e<sign><digits>"],
};

export const quantity: FuzzTarget = {
  name: "quantity",
  modules: ["machinery/src/quantity"],
  dictionary: [..."numkMGTPEe.+-0159", "Ki", "Mi", "Ei", "e3", "000", "9223372036854775807"],
  seeds: ["1", "100m", "1.5Gi", "-0.5", "1e3", "12Ei", "999999999999999999999n"],
  generate: (random) => textFrom(grammar, "quantity", random),
  judge(input) {
    const read = parseQuantity(input);
    assert.equal(read === undefined, quantityProblem(input) !== undefined, "is both fine and not");
    if (read === undefined) return false;
    const text = read.toString();
    assert.equal(canonicalQuantity(input), text, "has two canonical forms");
    assert.equal(read.compare(read.neg().neg()), 0);
    assert.equal(read.sub(read).sign(), 0);
    assert.equal(read.add(read).compare(read.mul(2n)), 0);
    if (/[1-9]/.test(input) && /\d/.test(input)) matchesModel(input, read);
    else assert.equal(read.sign(), 0);
    // Kubernetes writes no suffix, and so another amount, where none is large enough.
    const again = parseQuantity(text);
    if (again !== undefined && !/[eE]/.test(text)) assert.equal(again.compare(read), 0, `${text} is another amount`);
    return true;
  },
};

const powers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const maxInt64 = 2n ** 63n - 1n;

/** Kubernetes keeps billionths, rounded away from zero, and no binary amount beyond an int64. */
function matchesModel(text: string, read: Quantity): void {
  const [, sign = "", whole = "", fraction = "", suffix = ""] = /^([+-]?)(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const exponent = powers[suffix] ?? (binary.includes(suffix) ? 0 : Number(suffix.slice(1)));
  const factor = binary.includes(suffix) ? 1024n ** BigInt(binary.indexOf(suffix) + 1) : 1n;
  const up = exponent + 9 - fraction.length;
  const digits = BigInt(whole + fraction) * factor;
  const billionths = up >= 0 ? digits * 10n ** BigInt(up) : ceil(digits, 10n ** BigInt(-up));
  const most = binary.includes(suffix) ? maxInt64 * 10n ** 9n : billionths;
  const kept = billionths > most ? most : billionths;
  assert.equal(
    read
      .roundUp(-9)
      .mul(10n ** 9n)
      .value(),
    sign === "-" ? -kept : kept,
    "differs from the model",
  );
  assert.equal(read.value(), (sign === "-" ? -1n : 1n) * ceil(kept, 10n ** 9n), "rounds otherwise than the model");
}

const ceil = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
