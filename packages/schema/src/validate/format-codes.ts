/** Numbers and codes that carry their own check: books, cards, addresses of network interfaces. */

/** RFC 4648, padded. */
export const isBase64 = (text: string): boolean => text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

export const isSsn = (text: string): boolean => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text);

const cards =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** Anything may stand between the digits. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!cards.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const twice = digit * 2;
    sum += i % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

export function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  let sum = 0;
  for (const [i, digit] of [...digits].entries()) sum += (i + 1) * (digit === "X" ? 10 : Number(digit));
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (const [i, digit] of [...digits].entries()) sum += (i % 2 === 0 ? 1 : 3) * Number(digit);
  return sum % 10 === 0;
}

const withoutSeparators = (text: string): string => text.replaceAll(/[\t\n\f\r -]+/g, "");

/** 6, 8 or 20 bytes, in pairs of digits with colons or dashes, in fours with dots, or without anything between. */
export function isMac(text: string): boolean {
  const separator = /[:-]/.exec(text[2] ?? "")?.[0];
  const groups = separator !== undefined ? text.split(separator) : text[4] === "." ? text.split(".") : (text.match(/..?/gs) ?? []);
  const digits = separator === undefined && text[4] === "." ? 4 : 2;
  const bytes = (groups.length * digits) / 2;
  const whole = separator !== undefined || digits === 4 || text.length % 2 === 0;
  return whole && [6, 8, 20].includes(bytes) && groups.every((group) => group.length === digits && /^[0-9a-fA-F]+$/.test(group));
}
