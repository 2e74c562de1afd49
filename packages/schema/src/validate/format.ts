/** The formats of strings that Kubernetes checks; it ignores all others. Dashes in their names do not count. */
import { goQuote, isRequestUrl, parseCidr, parseIp } from "@coxswain/machinery";
import { isEmail } from "./email.ts";
import { isBase64, isCreditCard, isIsbn10, isIsbn13, isMac, isSsn } from "./format-codes.ts";
import { isDate, isDateTime, isScalaDuration } from "./format-times.ts";
import { bodyError, type Rule } from "./rule.ts";

/** The format where it goes with the type, else none. */
export function supportedFormat(format: string, types: readonly string[]): string {
  const type = types.length === 1 ? types[0] : "";
  switch (type) {
    case "":
    case "string":
      return isKnownFormat(format) ? format : "";
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

/** Of strings. */
export const isKnownFormat = (format: string): boolean => checks.has(format.replaceAll("-", ""));

export function formatRule(format: string): Rule<string> | undefined {
  const holds = checks.get(format.replaceAll("-", ""));
  if (holds === undefined) return undefined;
  return {
    holds,
    error: (text, name) => bodyError(name, text, `must be of type ${format}: ${goQuote(text)}`, "FieldValueTypeInvalid"),
  };
}

const matches =
  (pattern: RegExp, maxLength = Number.POSITIVE_INFINITY) =>
  (text: string): boolean =>
    text.length <= maxLength && pattern.test(text);

const uuid = (version: string, variant: string) =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i"));

const byteOfColor = "(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])";
const gap = "[\\t\\n\\f\\r ]*";
const shortName = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matches(/^[0-9a-fA-F]{24}$/)],
  ["byte", isBase64],
  ["cidr", (text) => parseCidr(text) !== undefined],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isScalaDuration],
  ["email", isEmail],
  ["hexcolor", matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && parseIp(text) !== undefined],
  ["ipv6", (text) => text.includes(":") && parseIp(text)?.leadingZeros === false],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["k8slongname", matches(new RegExp(`^${shortName}(?:\\.${shortName})*$`), 253)],
  ["k8sshortname", matches(new RegExp(`^${shortName}$`), 63)],
  ["mac", isMac],
  ["password", () => true],
  ["rgbcolor", matches(new RegExp(`^rgb\\(${gap}${byteOfColor}${gap},${gap}${byteOfColor}${gap},${gap}${byteOfColor}${gap}\\)$`), 1000)],
  ["ssn", isSsn],
  ["uri", isRequestUrl],
  ["uuid", uuid("[0-9a-f]", "[0-9a-f]")],
  ["uuid3", uuid("3", "[0-9a-f]")],
  ["uuid4", uuid("4", "[89ab]")],
  ["uuid5", uuid("5", "[89ab]")],
]);

const label = "[a-zA-Z0-9\\p{S}\\p{L}]";
const hostname = new RegExp(
  `^(?:${label}(?:-?${label}{0,62})?|(?:${label}(?:[-a-zA-Z0-9\\p{S}\\p{L}]{0,61}${label})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  "u",
);

/** Lengths are in bytes. */
function isHostname(text: string): boolean {
  if (text.length > 255 || !hostname.test(text)) return false;
  return byteLength(text) <= 255 && text.split(".").every((part) => byteLength(part) <= 63);
}

const byteLength = (text: string): number => encodeURIComponent(text).replaceAll(/%../g, "_").length;
