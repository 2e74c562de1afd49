import type { RoleBinding } from "@coxswain/types/rbac-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { roleBindingColumns } from "../../../table/role-binding-columns.ts";
import { defaultBinding, validateBinding, validateSameRole } from "../../../validation/rbac/role-binding.ts";

export const roleBinding = defineKind<RoleBinding>({
  type: "io.k8s.api.rbac.v1.RoleBinding",
  metadataPasses: ["whole", "changes"],
  name: "pathSegment",
  allowCreateOnUpdate: true,
  defaults: defaultBinding,
  validate: (obj) => validateBinding(obj, { namespaced: true }),
  validateUpdate: validateSameRole,
  columns: roleBindingColumns,
});
