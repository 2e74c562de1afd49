/** ServiceCIDR `kubernetes`: the range from which Services get their addresses, for clients that read it. */
import type { networkingV1 } from "@coxswain/api";
import { type KubeObject, wireTime } from "@coxswain/machinery";

/** `now` in milliseconds since the epoch. */
export const defaultServiceCidr = (cidr: string, now: number): networkingV1.ServiceCIDR & KubeObject => ({
  kind: "ServiceCIDR",
  apiVersion: "networking.k8s.io/v1",
  metadata: { name: "kubernetes" },
  spec: { cidrs: [cidr] },
  status: {
    conditions: [
      {
        type: "Ready",
        status: "True",
        lastTransitionTime: wireTime(now),
        reason: "",
        message: "Kubernetes default Service CIDR is ready",
      },
    ],
  },
});
