import { field } from "@coxswain/machinery";
import type { Namespace } from "@coxswain/types/core-v1";
import type { Subresources } from "../../../strategy/strategy.ts";

export const namespaceSubresources: Subresources<Namespace> = {
  status: {
    validateUpdate: (next) => {
      const phase = next.status?.phase;
      const deleting = next.metadata?.deletionTimestamp !== undefined;
      if (phase === (deleting ? "Terminating" : "Active")) return [];
      const why = deleting
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty";
      return [field.invalid("status.Phase", phase ?? "", why)];
    },
  },
};
