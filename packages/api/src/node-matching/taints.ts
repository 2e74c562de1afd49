/**
 * What keeps Pods away from a Node.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
import type * as coreV1 from "@coxswain/types/core-v1";

type Taint = coreV1.Taint;
type Toleration = coreV1.Toleration;

/** Numeric comparison belongs to a feature that is off: such tolerations tolerate nothing. */
export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (isGiven(effect) && effect !== taint.effect) return false;
  if (isGiven(key) && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (!isGiven(operator) || operator === "Equal") && (value ?? "") === (taint.value ?? "");
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

/** Whether one of these effects is not tolerated. */
export const isRepelled = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): boolean =>
  taints?.some((taint) => effects.includes(taint.effect) && tolerations?.some((one) => tolerates(one, taint)) !== true) === true;
