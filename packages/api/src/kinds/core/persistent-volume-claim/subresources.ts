import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { checkClaimStatus } from "./status-validation.ts";
import type { Claim } from "./validation.ts";

export const persistentVolumeClaimSubresources: Subresources<Claim> = {
  status: {
    validateUpdate: (next) => {
      const out: Errors = [];
      checkClaimStatus(out, next);
      return out;
    },
  },
};
