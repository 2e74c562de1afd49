/**
 * Some rules are younger than the objects that break them. Kubernetes enforces such a rule only on objects that kept it
 * before, so that old ones can still be changed. An error of such a rule carries the rule's name.
 */
import type { FieldError, KubeObject } from "@coxswain/machinery";
import type { Strategy } from "../strategy/strategy.ts";

interface TolerableError extends FieldError {
  readonly ratchetedRule: string;
}

const ruleOf = (error: FieldError): string | undefined => ("ratchetedRule" in error ? (error as TolerableError).ratchetedRule : undefined);

/** Marks what `check` adds to the list as errors of that rule. */
export function ratchet(out: FieldError[], rule: string, check: () => void): void {
  const before = out.length;
  check();
  for (let i = before; i < out.length; i++) {
    const error = out[i];
    if (error !== undefined) out[i] = Object.assign({ ratchetedRule: rule }, error);
  }
}

/** The errors without those of ratcheted rules that were broken before. `before` is asked only when it matters. */
export function dropToleratedErrors(errors: readonly FieldError[], before: () => Iterable<FieldError>): readonly FieldError[] {
  if (errors.every((error) => ruleOf(error) === undefined)) return errors;
  const broken = new Set([...before()].map(ruleOf));
  return errors.filter((error) => {
    const rule = ruleOf(error);
    return rule === undefined || !broken.has(rule);
  });
}

/** What a kind's rules for any object say of one that replaces another. */
export function validateReplacement<T extends KubeObject>(
  strategy: Strategy<T>,
  next: Readonly<T>,
  prev: Readonly<T>,
): readonly FieldError[] {
  if (strategy.validate === undefined) return [];
  return dropToleratedErrors([...strategy.validate(next, prev)], () => strategy.validate?.(prev) ?? []);
}
