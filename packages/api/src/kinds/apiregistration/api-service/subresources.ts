import type { APIService } from "@coxswain/types/apiregistration-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { type Errors, oneOf } from "../../../validation/checks.ts";

export const apiServiceSubresources: Subresources<APIService> = {
  status: {
    /** Whoever writes whether it is available writes nothing else. */
    prepareForUpdate({ metadata = {} }, prev) {
      for (const name of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
        delete metadata[name];
        if (prev.metadata?.[name] !== undefined) Object.assign(metadata, { [name]: prev.metadata[name] });
      }
    },
    validateUpdate: ({ status }) => {
      const out: Errors = [];
      for (const [i, condition] of (status?.conditions ?? []).entries()) {
        oneOf(out, `status.conditions[${i}].status`, condition.status, ["True", "False", "Unknown"]);
      }
      return out;
    },
  },
};
