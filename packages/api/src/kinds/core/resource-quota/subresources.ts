import { field } from "@coxswain/machinery";
import type { ResourceQuota } from "@coxswain/types/core-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateAmounts } from "./validation.ts";

export const resourceQuotaSubresources: Subresources<ResourceQuota> = {
  status: {
    validateUpdate: ({ metadata, status }) => {
      const out: Errors = [];
      if (!metadata?.resourceVersion) out.push(field.required("resourceVersion"));
      validateAmounts(out, "status.hard", status?.hard ?? {});
      validateAmounts(out, "status.used", status?.used ?? {});
      return out;
    },
  },
};
