import { field, validatePercent } from "@coxswain/machinery";
import type { IntOrString } from "@coxswain/types/meta-v1";
import { addInvalid, type Errors, nonNegative } from "./checks.ts";

/** A count of pods, or a share of them: `2`, `25%`. */
export function validateIntOrPercent(out: Errors, path: string, value: IntOrString | undefined): void {
  if (typeof value === "number") nonNegative(out, path, value);
  else if (value !== undefined) addInvalid(out, path, value, validatePercent(value));
}

export function atMost100Percent(out: Errors, path: string, value: IntOrString | undefined): void {
  const percent = percentOf(value);
  if (percent !== undefined && percent > 100) out.push(field.invalid(path, value, "must not be greater than 100%"));
}

/** The number before the percent sign, or the count; zero for what is neither. */
export const amountOf = (value: IntOrString | undefined): number => percentOf(value) ?? (Number(value ?? 0) || 0);

const percentOf = (value: IntOrString | undefined): number | undefined =>
  typeof value === "string" && validatePercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
