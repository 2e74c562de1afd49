import { field } from "@coxswain/machinery";
import type { Service } from "@coxswain/types/core-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateLoadBalancerStatus } from "../../../validation/load-balancer-status.ts";

export const serviceSubresources: Subresources<Service> = {
  status: {
    validateUpdate: ({ spec, status }) => {
      const ingress = status?.loadBalancer?.ingress ?? [];
      if (spec?.type !== "LoadBalancer" && ingress.length > 0) {
        return [field.forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")];
      }
      return validateLoadBalancerStatus(ingress, { withMode: true });
    },
  },
};
