import type { CertificateSigningRequest } from "@coxswain/types/certificates-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { stampConditions } from "./condition-times.ts";
import { validate, validateStatusChange } from "./validation.ts";

export const certificateSigningRequestSubresources: Subresources<CertificateSigningRequest> = {
  status: {
    metadataPasses: ["whole", "changes"],
    resetFields: [["status", "conditions"]],
    /** The status belongs to the signer, but not the decision. */
    prepareForUpdate(next, prev, now) {
      const conditions = next.status?.conditions;
      if (conditions === undefined) return;
      for (const type of ["Approved", "Denied"]) {
        const old = prev.status?.conditions?.filter((condition) => condition.type === type) ?? [];
        const places = [...conditions.keys()].filter((i) => conditions[i]?.type === type);
        if (old.length !== places.length) continue;
        for (const [n, i] of places.entries()) conditions.splice(i, 1, structuredClone(old[n] ?? { type, status: "" }));
      }
      if (now !== undefined) stampConditions(next, prev, now);
    },
    validateUpdate: (next, prev) => [...validate(next), ...validateStatusChange(next, prev, "certificate")],
  },
  approval: {
    resetFields: [["spec"], ["status", "certificate"]],
    /** Of the client's object only the conditions count. */
    prepareForUpdate(next, prev, now = "") {
      stampConditions(next, prev, now);
      const { conditions } = next.status ?? {};
      next.spec = structuredClone(prev.spec);
      next.status = { ...structuredClone(prev.status ?? {}), ...(conditions === undefined ? {} : { conditions }) };
      if (conditions === undefined) delete next.status.conditions;
    },
    validateUpdate: (next, prev) => [...validate(next), ...validateStatusChange(next, prev, "decision")],
  },
};
