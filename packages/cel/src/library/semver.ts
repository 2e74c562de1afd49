/** Semantic versions, 2.0.0. @see https://semver.org */
import { goQuote } from "@coxswain/machinery";
import { boolAt, instanceAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { traversesFirst } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, type CelType, intType, opaqueType, stringType } from "../types/type.ts";
import { CelError, CelOpaque, type CelValue } from "../values/value.ts";

/**
 * The type of semantic versions.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library
 */
export const semverType = opaqueType("kubernetes.Semver");

/** Build metadata does not count, and is not kept. */
interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly (bigint | string)[];
}

/** A semantic version as a value. */
export class SemverValue extends CelOpaque {
  override readonly type = semverType;
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof SemverValue)) throw noSuchOverload();
    return compare(this.version, other.version) === 0;
  }
}

export const semver: CelLibrary = {
  name: "kubernetes.Semver",
  functions: functionsOf({
    semver: [
      { ...plain("string_to_semver", [stringType], semverType, (args) => parse(stringAt(args, 0), false)), ...traversesFirst() },
      {
        ...plain("string_bool_to_semver", [stringType, boolType], semverType, (args) => parse(stringAt(args, 0), boolAt(args, 1))),
        ...traversesFirst(),
      },
    ],
    isSemver: [
      { ...plain("is_semver_string", [stringType], boolType, (args) => isSemver(stringAt(args, 0), false)), ...traversesFirst() },
      {
        ...plain("is_semver_string_bool", [stringType, boolType], boolType, (args) => isSemver(stringAt(args, 0), boolAt(args, 1))),
        ...traversesFirst(),
      },
    ],
    isGreaterThan: [compares("semver_is_greater_than", boolType, (order) => order > 0)],
    isLessThan: [compares("semver_is_less_than", boolType, (order) => order < 0)],
    compareTo: [compares("semver_compare_to", intType, BigInt)],
    major: [part("semver_major", 0)],
    minor: [part("semver_minor", 1)],
    patch: [part("semver_patch", 2)],
  }),
};

const versionAt = (args: readonly CelValue[], index: number): Version => instanceAt(SemverValue, args, index).version;

function compares(id: string, result: CelType, answer: (order: number) => CelValue): CelOverload {
  return method(id, [semverType, semverType], result, (args) => answer(compare(versionAt(args, 0), versionAt(args, 1))));
}

function part(id: string, index: 0 | 1 | 2): CelOverload {
  return method(id, [semverType], intType, (args) => BigInt.asIntN(64, versionAt(args, 0).numbers[index]));
}

function parse(text: string, normalize: boolean): SemverValue {
  const version = read(text, normalize);
  if (typeof version === "string") throw new CelError(version);
  return new SemverValue(version);
}

const isSemver = (text: string, normalize: boolean): boolean => typeof read(text, normalize) !== "string";

function read(text: string, normalize: boolean): Version | string {
  const normal = normalize ? normalized(text) : text;
  return normal === undefined ? "short version cannot contain PreRelease/Build meta data" : readVersion(normal);
}

/** `v1.02` is `1.2.0`. Undefined where numbers are missing before a suffix. */
function normalized(text: string): string | undefined {
  const parts = splitVersion(text.replace(/^v/, "")).map((part) => (part.length > 1 ? withoutZeros(part) : part));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return undefined;
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

function withoutZeros(part: string): string {
  const rest = part.replace(/^0+/, "");
  return /^\d/.test(rest) ? rest : `0${rest}`;
}

/** Major, minor and all the rest. */
function splitVersion(text: string): string[] {
  const parts = text.split(".");
  return parts.length > 3 ? [...parts.slice(0, 2), parts.slice(2).join(".")] : parts;
}

/** The version, or what is wrong in the words of the Go package that Kubernetes uses. */
function readVersion(text: string): Version | string {
  if (text === "") return "Version string empty";
  const [major, minor, rest] = splitVersion(text);
  if (major === undefined || minor === undefined || rest === undefined) return "No Major.Minor.Patch elements found";
  const [unbuilt = "", ...build] = splitOnce(rest, "+");
  const [patch = "", ...suffix] = splitOnce(unbuilt, "-");
  const problem =
    numberProblem("Major", major) ??
    numberProblem("Minor", minor) ??
    numberProblem("Patch", patch) ??
    suffixProblem(suffix) ??
    buildProblem(build);
  if (problem !== undefined) return problem;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: identifiers(suffix).map((id) => (isDigits(id) ? BigInt(id) : id)),
  };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const identifiers = (suffix: readonly string[]): string[] => suffix.flatMap((text) => text.split("."));
const isDigits = (text: string): boolean => /^\d+$/.test(text);
const hasLeadingZero = (text: string): boolean => text.length > 1 && text.startsWith("0");

function numberProblem(which: string, text: string): string | undefined {
  if (/[^0-9]/.test(text)) return `Invalid character(s) found in ${which.toLowerCase()} number ${goQuote(text)}`;
  if (hasLeadingZero(text)) return `${which} number must not contain leading zeroes ${goQuote(text)}`;
  return uint64Problem(text);
}

function uint64Problem(text: string): string | undefined {
  if (text === "") return 'strconv.ParseUint: parsing "": invalid syntax';
  return text.length > 20 || BigInt(text) >= 1n << 64n ? `strconv.ParseUint: parsing ${goQuote(text)}: value out of range` : undefined;
}

function suffixProblem(suffix: readonly string[]): string | undefined {
  for (const id of identifiers(suffix)) {
    if (id === "") return "Prerelease is empty";
    if (/[^0-9A-Za-z-]/.test(id)) return `Invalid character(s) found in prerelease ${goQuote(id)}`;
    if (!isDigits(id)) continue;
    const problem = hasLeadingZero(id) ? `Numeric PreRelease version must not contain leading zeroes ${goQuote(id)}` : uint64Problem(id);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function buildProblem(build: readonly string[]): string | undefined {
  const bad = identifiers(build).find((id) => !/^[0-9A-Za-z-]+$/.test(id));
  if (bad === undefined) return undefined;
  return bad === "" ? "Build meta data is empty" : `Invalid character(s) found in build meta data ${goQuote(bad)}`;
}

function compare(a: Version, b: Version): -1 | 0 | 1 {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] > b.numbers[index] ? 1 : -1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return order(b.prerelease.length === 0 ? 0 : 1, a.prerelease.length === 0 ? 0 : 1);
  }
  for (const [i, id] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(id, other);
    if (difference !== 0) return difference;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

/** Numbers come before names. */
function compareIdentifiers(a: bigint | string, b: bigint | string): -1 | 0 | 1 {
  return typeof a === typeof b ? order(a, b) : typeof a === "bigint" ? -1 : 1;
}

const order = (a: bigint | string | number, b: bigint | string | number): -1 | 0 | 1 => (a > b ? 1 : a < b ? -1 : 0);
