/** Formats as values: `format.dns1123Label().validate(name)`. */

import { patternFactor, scaled, traversalFactor } from "../cost/bounds.ts";
import { instanceAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { type Cost, matching, nothing, sizeOf } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary } from "../environment/library.ts";
import { listOf, opaqueType, optionalOf, stringType } from "../types/type.ts";
import { ArrayList } from "../values/collections.ts";
import { CelOpaque, CelOptional, type CelValue } from "../values/value.ts";
import { formats, type NamedFormat } from "./formats.ts";

/**
 * The type of named formats.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library
 */
export const formatType = opaqueType("kubernetes.NamedFormat");

/** A named format as a value. */
export class FormatValue extends CelOpaque {
  override readonly type = formatType;
  readonly format: NamedFormat;

  constructor(format: NamedFormat) {
    super();
    this.format = format;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof FormatValue)) throw noSuchOverload();
    return this.format.name === other.format.name;
  }
}

/** Before the format is known, as long a pattern as any name's has. */
const maxPatternLength = 128;

/** Each by the pattern that would check the same. */
const validation: Cost = {
  cost: ([format, text]) => (format instanceof FormatValue ? matching(sizeOf(text), format.format.patternLength) : 1),
  estimate: ([, text = nothing]) => ({ cost: scaled(scaled(text, traversalFactor), maxPatternLength * patternFactor) }),
};

const constants = new Map(Array.from(formats, ([name, format]) => [name, new FormatValue(format)]));

export const format: CelLibrary = {
  name: "kubernetes.format",
  functions: functionsOf({
    ...Object.fromEntries(
      Array.from(constants, ([name, value]) => [`format.${name}`, [plain(`format.${name}`, [], formatType, () => value)]]),
    ),
    "format.named": [
      plain("format-named", [stringType], optionalOf(formatType), (args) => new CelOptional(constants.get(stringAt(args, 0)))),
    ],
    validate: [{ ...method("format-validate", [formatType, stringType], optionalOf(listOf(stringType)), validate), ...validation }],
  }),
};

function validate(args: readonly CelValue[]): CelOptional {
  const problems = instanceAt(FormatValue, args, 0).format.check(stringAt(args, 1));
  return new CelOptional(problems.length === 0 ? undefined : new ArrayList([...problems]));
}
