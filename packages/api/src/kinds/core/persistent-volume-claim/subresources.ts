import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateClaimStatus } from "./status-validation.ts";
import type { Claim } from "./validation.ts";

export const persistentVolumeClaimSubresources: Subresources<Claim> = {
  status: {
    validateUpdate: (next) => {
      const out: Errors = [];
      validateClaimStatus(out, next);
      return out;
    },
  },
};
