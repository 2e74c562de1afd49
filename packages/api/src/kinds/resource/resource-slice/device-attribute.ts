import { field } from "@coxswain/machinery";
import type { DeviceAttribute } from "@coxswain/types/resource-v1";
import type { Errors } from "../../../validation/checks.ts";
import { utf8Length } from "../../../validation/utf8-length.ts";

const maxTextBytes = 64;
const number = "(0|[1-9]\\d*)";
const early = "(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)";
const build = "[0-9a-zA-Z-]+";
const version = new RegExp(`^${number}\\.${number}\\.${number}(-${early}(\\.${early})*)?(\\+${build}(\\.${build})*)?$`);

/** As Kubernetes shows an attribute of more than one value. */
const internalNames = {
  IntValue: "int",
  BoolValue: "bool",
  StringValue: "string",
  VersionValue: "version",
  IntValues: "ints",
  BoolValues: "bools",
  StringValues: "strings",
  VersionValues: "versions",
} as const;
const lists = ["bools", "ints", "strings", "versions"] as const;

/** What a driver says of a device: one text, number, truth or version. */
export function validateDeviceAttribute(out: Errors, path: string, attribute: Readonly<DeviceAttribute>): void {
  if (attribute.string !== undefined) validateText(out, `${path}.string`, attribute.string);
  if (attribute.version !== undefined) validateVersion(out, `${path}.version`, attribute.version);
  for (const name of lists) {
    if (attribute[name]?.length === 0) out.push(field.invalid(`${path}.${name}`, [], "must not be empty if specified"));
  }
  for (const [i, text] of (attribute.strings ?? []).entries()) validateText(out, `${path}.strings[${i}]`, text);
  for (const [i, text] of (attribute.versions ?? []).entries()) validateVersion(out, `${path}.versions[${i}]`, text);
  const given = Object.values(internalNames).filter((name) => attribute[name] !== undefined).length;
  if (given === 1) return;
  const shown = Object.fromEntries(Object.entries(internalNames).map(([shownAs, name]) => [shownAs, attribute[name] ?? null]));
  out.push(field.invalid(path, given === 0 ? "" : shown, "exactly one value must be specified"));
}

/** Lists count as many as they hold. */
export function valuesIn(attributes: Readonly<Record<string, DeviceAttribute>>): number {
  return Object.values(attributes).reduce((sum, attribute) => {
    const inLists = lists.reduce((count, name) => count + (attribute[name]?.length ?? 0), 0);
    return sum + (inLists === 0 ? 1 : inLists);
  }, 0);
}

export const hasLists = (attribute: Readonly<DeviceAttribute>): boolean => lists.some((name) => attribute[name] !== undefined);

/** In place. */
export function dropLists(attribute: DeviceAttribute): void {
  for (const name of lists) delete attribute[name];
}

function validateText(out: Errors, path: string, text: string): void {
  if (utf8Length(text) > maxTextBytes) out.push(field.tooLong(path, maxTextBytes));
}

function validateVersion(out: Errors, path: string, text: string): void {
  if (!version.test(text)) out.push(field.invalid(path, text, "must be a string compatible with semver.org spec 2.0.0"));
  validateText(out, path, text);
}
