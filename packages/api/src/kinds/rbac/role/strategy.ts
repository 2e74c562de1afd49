import type { Role } from "@coxswain/types/rbac-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndCreationTime } from "../../../table/columns.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validatePolicyRules } from "../../../validation/rbac/policy-rules.ts";

export const role = defineKind<Role>({
  type: "io.k8s.api.rbac.v1.Role",
  metadataPasses: ["whole", "changes"],
  name: "pathSegment",
  allowCreateOnUpdate: true,
  validate: ({ rules }) => {
    const out: Errors = [];
    validatePolicyRules(out, rules ?? [], { namespaced: true });
    return out;
  },
  columns: nameAndCreationTime,
});
