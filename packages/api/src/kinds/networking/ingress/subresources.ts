import type { Ingress } from "@coxswain/types/networking-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateLoadBalancerStatus } from "../../../validation/load-balancer-status.ts";

export const ingressSubresources: Subresources<Ingress> = {
  status: {
    validateUpdate: ({ status }) => validateLoadBalancerStatus(status?.loadBalancer?.ingress ?? [], { withMode: false }),
  },
};
