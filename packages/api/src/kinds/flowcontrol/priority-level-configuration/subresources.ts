import type { PriorityLevelConfiguration } from "@coxswain/types/flowcontrol-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateConditionTypes } from "../../../validation/flow-control-conditions.ts";

export const priorityLevelConfigurationSubresources: Subresources<PriorityLevelConfiguration> = {
  status: {
    metadataPasses: [],
    resetFields: [["metadata"]],
    validateUpdate: ({ status }) => {
      const out: Errors = [];
      validateConditionTypes(out, status?.conditions ?? []);
      return out;
    },
  },
};
