import type { Subresources } from "../../../strategy/strategy.ts";
import type { Ingress } from "../../../types/networking-v1.ts";
import { validateLoadBalancerStatus } from "../../../validation/load-balancer-status.ts";

export const ingressSubresources: Subresources<Ingress> = {
  status: {
    validateUpdate: ({ status }) => validateLoadBalancerStatus(status?.loadBalancer?.ingress ?? [], { withMode: false }),
  },
};
