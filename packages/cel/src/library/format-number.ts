/** Doubles as Go prints them. Exact: JavaScript's own functions round halves up and know at most 100 digits. */
import { trimRight } from "@coxswain/machinery";

/** No double has more digits behind its point. */
const maxDigits = 1074;

/** With so many digits behind the point, or fewer when more would be zeros; at least `minimum`. */
export function fixedDigits(value: number, digits: number, minimum = digits): string {
  const places = Math.min(digits, maxDigits);
  const all = rounded(value, places)
    .toString()
    .padStart(places + 1, "0");
  const whole = all.slice(0, all.length - places);
  const fraction = all.slice(all.length - places).padEnd(Math.min(minimum, maxDigits), "0");
  const needed = Math.max(trimRight(fraction, "0").length, minimum);
  return needed === 0 ? whole : `${whole}.${fraction.slice(0, needed)}`;
}

/** Seven digits times a power of ten. */
export function scientificDigits(value: number): { mantissa: string; exponent: number } {
  if (value === 0) return { mantissa: "0.000000", exponent: 0 };
  const exponent = Number(value.toExponential(20).split("e")[1]);
  const digits = rounded(value, 6 - exponent).toString();
  // 9.9999999 becomes 10.00000.
  const isLonger = digits.length > 7;
  return { mantissa: `${digits[0]}.${digits.slice(1, 7)}`, exponent: isLonger ? exponent + 1 : exponent };
}

/** |value| × 10^`places`, halves to the even neighbour. */
function rounded(value: number, places: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = exponent === 0 ? bits : (bits & 0xfffffffffffffn) | 0x10000000000000n;
  const power = Math.max(exponent, 1) - 1075;
  const numerator = mantissa * 10n ** BigInt(Math.max(places, 0)) * 2n ** BigInt(Math.max(power, 0));
  const denominator = 10n ** BigInt(Math.max(-places, 0)) * 2n ** BigInt(Math.max(-power, 0));
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
