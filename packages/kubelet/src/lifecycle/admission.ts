/** Lets Pods in, refuses them, or makes room for those that a cluster cannot be without. */
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { isFromNode } from "../pod/source-annotations.ts";
import { judge, type Rejection, rejectionOf, type Shortage } from "./predicate.ts";
import { chooseVictims, isCritical } from "./preemption.ts";

export type Answer =
  | { readonly kind: "welcome" }
  | { readonly kind: "refused"; readonly rejection: Rejection }
  /** Nothing but the Node's labels speaks against it: whoever has just changed them may know better than a watch. */
  | { readonly kind: "unlikely"; readonly rejection: Rejection }
  /** Welcome once these are gone. */
  | { readonly kind: "inTheirPlace"; readonly victims: readonly Pod[] };

const welcome: Answer = { kind: "welcome" };

/** `others` run here, or will. A node that is not known yet refuses nobody. */
export function answer(pod: Pod, node: coreV1.Node | undefined, others: readonly Pod[]): Answer {
  if (node === undefined) return welcome;
  const verdict = judge({ pod, isStatic: isFromNode(pod) }, node, others, node.status?.nodeInfo?.operatingSystem || "linux");
  switch (verdict.kind) {
    case "fits":
      return welcome;
    case "rejected":
      return { kind: verdict.only === "NodeAffinity" ? "unlikely" : "refused", rejection: verdict.rejection };
    case "short":
      return isCritical(pod) ? makeRoom(pod, verdict.shortages, verdict.others, others) : refuse(verdict.shortages.map(rejectionOf));
  }
}

function makeRoom(pod: Pod, shortages: readonly Shortage[], rejections: readonly Rejection[], others: readonly Pod[]): Answer {
  if (rejections.length > 0) return refuse(rejections);
  try {
    return { kind: "inTheirPlace", victims: chooseVictims(pod, shortages, others) };
  } catch (error) {
    const message = `Unexpected error while attempting to recover from admission failure: ${error instanceof Error ? error.message : error}`;
    return refuse([{ reason: "UnexpectedAdmissionError", message }]);
  }
}

function refuse([rejection]: readonly Rejection[]): Answer {
  return rejection === undefined ? welcome : { kind: "refused", rejection };
}
