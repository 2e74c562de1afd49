/** One check of a value: whether it holds, and the words for it, the same for every test runner. */
import { formatWithOptions } from "node:util";
import type { KubeObject } from "@coxswain/machinery";

/** What came of a check. */
export interface Check {
  readonly pass: boolean;
  /** What was looked at. */
  readonly subject: string;
  /** What it is expected to do: `have the condition Ready=True`. */
  readonly claim: string;
  /** What is there instead, or nonetheless; empty where the subject says it. */
  readonly found: string;
}

/** As a sentence; `negated` where the claim was expected not to hold. */
export function describeCheck({ subject, claim, found }: Check, negated = false): string {
  return `expected ${subject} ${negated ? "not " : ""}to ${claim}${found === "" ? "" : `\n${found}`}`;
}

/** @throws AssertionError unless it holds */
export function assertCheck(check: Check, caller: (...args: never[]) => unknown): void {
  if (check.pass) return;
  const { AssertionError } = process.getBuiltinModule("node:assert");
  throw new AssertionError({
    message: describeCheck(check),
    actual: check.found,
    expected: check.claim,
    operator: "to",
    stackStartFn: caller,
  });
}

/** `Pod default/web`. */
export function nameOfObject({ kind = "object", metadata }: KubeObject): string {
  const name = metadata?.name ?? "without a name";
  return `${kind} ${metadata?.namespace === undefined ? name : `${metadata.namespace}/${name}`}`;
}

/** @throws TypeError for what is no object of Kubernetes, as a promise of one */
export function asKubeObject(value: unknown): KubeObject {
  if (typeof value === "object" && value !== null && "metadata" in value && typeof value.metadata === "object") return value as KubeObject;
  if (value instanceof Promise) throw new TypeError("a promise is no object of Kubernetes: await it");
  throw new TypeError(`${inspect(value)} is no object of Kubernetes`);
}

/** A value on a few lines. */
export const inspect = (value: unknown): string =>
  formatWithOptions({ depth: 1, maxArrayLength: 5, breakLength: 120 }, "%O", value).slice(0, 300);
