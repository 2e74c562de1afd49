import type { Subresources } from "../../../strategy/strategy.ts";
import type { ServiceCIDR } from "../../../types/networking-v1.ts";

export const serviceCidrSubresources: Subresources<ServiceCIDR> = {
  status: {
    resetFields: [["metadata"]],
  },
};
