import type { coreV1 } from "@coxswain/api";

type Taint = coreV1.Taint;
type Toleration = coreV1.Toleration;

/** What makes Pods leave a Node. */
export const noExecuteTaints = (taints: readonly Taint[] | undefined): readonly Taint[] =>
  (taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** How long a Pod may stay among these taints: seconds, or for ever; 0 when one of them is not tolerated at all. */
export function toleratedSeconds(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    // The first that fits counts, as for the scheduler.
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (toleration === undefined) return 0;
    least = Math.min(least, Math.max(0, toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY));
  }
  return least;
}

export function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "":
    case "Equal":
      return value === (taint.value ?? "");
    case "Exists":
      return true;
    default:
      return false;
  }
}
