/** Whether a value has the type that a schema asks for, as kube-openapi's validator sees it. */

export type ValueKind = "null" | "boolean" | "string" | "integer" | "number" | "array" | "object";

/** Integers beyond what a double holds exactly are `number`, unless they are bigints. */
export function kindOf(value: unknown): ValueKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number";
    case "bigint":
      return "integer";
    case "boolean":
      return "boolean";
    default:
      return value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : "object";
  }
}

export interface TypeRule {
  /** None: any. */
  readonly types: readonly string[];
  /** Empty for none. */
  readonly format: string;
  readonly nullable: boolean;
}

export interface TypeMismatch {
  readonly expected: string;
  readonly found: string;
}

/** A format takes the place of the type: with one, a list passes for a string. */
export function findTypeMismatch({ types, format, nullable }: TypeRule, value: unknown): TypeMismatch | undefined {
  if (types.length === 0 && format === "") return undefined;
  const kind = kindOf(value);
  if (kind === "null") return types.length === 0 || types.includes("null") || nullable ? undefined : mismatch(types, kind);
  const fits = types.includes(kind) || fitsNumber(types, kind, value);
  if (format !== "") {
    const textual = kind === "string" || kind === "array";
    if (!textual && !fits) return { expected: format, found: kind === "integer" ? "int64" : kind === "number" ? "float64" : "" };
    if (textual && !types.includes("integer") && !types.includes("number")) return undefined;
  }
  return fits ? undefined : mismatch(types, kind);
}

const mismatch = (types: readonly string[], found: string): TypeMismatch => ({ expected: types.join(","), found });

const fitsNumber = (types: readonly string[], kind: ValueKind, value: unknown): boolean =>
  kind === "integer" ? types.includes("number") : kind === "number" && types.includes("integer") && isNearlyInteger(Number(value));

/** Kubernetes forgives what is as near to an integer as one part in 10⁹. */
export function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return value === whole || (value >= 1 && (value - whole) / (value + whole) < 1e-9);
}
