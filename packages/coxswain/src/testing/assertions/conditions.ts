/** What objects say of themselves in `status.conditions`. */
import { type Condition, conditionOf } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import { show, validateOptions } from "../validation/options.ts";
import { asKubeObject, type Check, nameOfObject } from "./check.ts";

/** What a condition is expected to be, besides being there. */
export interface ConditionOptions {
  /** Default: `True`. */
  readonly status?: "True" | "False" | "Unknown";
  /** The one word of the condition. */
  readonly reason?: string | RegExp;
  /** Its text for people: all of it, or what it matches. */
  readonly message?: string | RegExp;
}

export const conditionOptions = { status: true, reason: true, message: true } as const;

/** One that was observed of an older generation than the object's does not count, as for `kubectl wait`. */
export function checkCondition(value: unknown, type: string, options: ConditionOptions = {}): Check {
  validateOptions("a condition", options, conditionOptions);
  if (typeof type !== "string" || type === "") throw new TypeError(`the type of a condition is a string like "Ready", not ${show(type)}`);
  const object = asKubeObject(value);
  const { status = "True", reason, message } = options;
  const condition = conditionOf(object, type);
  const pass =
    condition !== undefined &&
    condition.status === status &&
    isLike(condition.reason, reason) &&
    isLike(condition.message, message) &&
    !isOutdated(object, condition);
  const details = Object.entries({ reason, message }).flatMap(([name, wanted]) => (wanted === undefined ? [] : [`${name} ${wanted}`]));
  const claim = `have the condition ${type}=${status}${details.length === 0 ? "" : ` with ${details.join(" and ")}`}`;
  return { pass, subject: nameOfObject(object), claim, found: describeConditions(object) };
}

const isLike = (text: string | undefined, wanted: string | RegExp | undefined): boolean =>
  wanted === undefined || (typeof wanted === "string" ? text === wanted : wanted.test(text ?? ""));

function isOutdated(object: KubeObject, { observedGeneration }: Condition): boolean {
  const { observedGeneration: ofStatus } = (object.status ?? {}) as { readonly observedGeneration?: number };
  const observed = observedGeneration ?? ofStatus;
  return observed !== undefined && observed < (object.metadata?.generation ?? 0);
}

/** Each on a line. */
export function describeConditions(object: KubeObject): string {
  const { conditions = [] } = (object.status ?? {}) as { readonly conditions?: readonly Condition[] };
  if (conditions.length === 0) return "it has no conditions";
  const lines = conditions.map((condition) => {
    const { type, status, reason, message } = condition;
    const why = [reason, message].filter(Boolean).join(": ");
    const outdated = isOutdated(object, condition) ? `, observed before generation ${object.metadata?.generation}` : "";
    return `  ${type}=${status}${why === "" ? "" : ` (${why})`}${outdated}`;
  });
  return ["its conditions:", ...lines].join("\n");
}
