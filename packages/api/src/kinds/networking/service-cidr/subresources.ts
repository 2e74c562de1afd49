import type { ServiceCIDR } from "@coxswain/types/networking-v1";
import type { Subresources } from "../../../strategy/strategy.ts";

export const serviceCidrSubresources: Subresources<ServiceCIDR> = {
  status: {
    resetFields: [["metadata"]],
  },
};
