import type { Texts } from "./texts.ts";

export const policyTexts: Texts = {
  PodDisruptionBudget: {
    "": "How many Pods may be evicted at the same time.",
    spec: "The limit, and whose it is.",
    status: "How many may be evicted now.",
  },
  PodDisruptionBudgetSpec: {
    "": "A limit for evictions: minAvailable or maxUnavailable.",
    maxUnavailable: "How many Pods may be missing, as number or percentage.",
    minAvailable: "How many Pods must be left, as number or percentage.",
    selector: "Selects the Pods. An empty one selects all in the namespace.",
    unhealthyPodEvictionPolicy: "Whether Pods that run but are not ready may always be evicted: IfHealthyBudget or AlwaysAllow.",
  },
  PodDisruptionBudgetStatus: {
    "": "How much of the budget is left.",
    conditions: "Whether evictions are allowed.",
    currentHealthy: "How many Pods are ready.",
    desiredHealthy: "How many must be.",
    disruptedPods: "Pods whose eviction was allowed but has not been seen yet.",
    disruptionsAllowed: "How many may be evicted now.",
    expectedPods: "How many Pods there should be.",
    observedGeneration: "The generation that this status is about.",
  },
  Eviction: { "": "Deletes a Pod, as far as its budgets allow.", deleteOptions: "How the Pod is deleted." },
};

export const coordinationTexts: Texts = {
  Lease: { "": "A claim that ends unless it is renewed, for leader election and heartbeats.", spec: "Who holds it, and until when." },
  LeaseSpec: {
    "": "Who holds a lease, and until when.",
    acquireTime: "Since when it is held.",
    holderIdentity: "Who holds it.",
    leaseDurationSeconds: "How long others wait after the last renewal before they take it.",
    leaseTransitions: "How often it changed hands.",
    preferredHolder: "Who should get it next.",
    renewTime: "When it was last renewed.",
    strategy: "How the next holder is chosen.",
  },
};
