/** Admits Pods to the node, rejects them, or preempts others for those that a cluster cannot be without. */
import type { coreV1 } from "@coxswain/api";
import { messageOf } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { isStaticPod } from "../pod/source-annotations.ts";
import { generalFilter, type Rejection, rejectionOf, type Shortage } from "./predicate.ts";
import { chooseVictims, isCritical } from "./preemption.ts";

export type AdmissionDecision =
  | { readonly kind: "admit" }
  | { readonly kind: "reject"; readonly rejection: Rejection }
  /** Nothing but the Node's labels speaks against it: the API is asked for the Node once more, since they may just have changed. */
  | { readonly kind: "recheckNode"; readonly rejection: Rejection }
  /** Admitted once these are gone. */
  | { readonly kind: "preempt"; readonly victims: readonly Pod[] };

const admit: AdmissionDecision = { kind: "admit" };

/** `others` run here, or will. A node that is not known yet rejects no Pod. */
export function admitPod(pod: Pod, node: coreV1.Node | undefined, others: readonly Pod[]): AdmissionDecision {
  if (node === undefined) return admit;
  const verdict = generalFilter({ pod, isStatic: isStaticPod(pod) }, node, others, node.status?.nodeInfo?.operatingSystem || "linux");
  switch (verdict.kind) {
    case "fits":
      return admit;
    case "rejected":
      return { kind: verdict.only === "NodeAffinity" ? "recheckNode" : "reject", rejection: verdict.rejection };
    case "short":
      return isCritical(pod) ? makeRoom(pod, verdict.shortages, verdict.others, others) : reject(verdict.shortages.map(rejectionOf));
  }
}

function makeRoom(pod: Pod, shortages: readonly Shortage[], rejections: readonly Rejection[], others: readonly Pod[]): AdmissionDecision {
  if (rejections.length > 0) return reject(rejections);
  try {
    return { kind: "preempt", victims: chooseVictims(pod, shortages, others) };
  } catch (error) {
    const message = `Unexpected error while attempting to recover from admission failure: ${messageOf(error)}`;
    return reject([{ reason: "UnexpectedAdmissionError", message }]);
  }
}

function reject([rejection]: readonly Rejection[]): AdmissionDecision {
  return rejection === undefined ? admit : { kind: "reject", rejection };
}
