import type { ClusterRoleBinding } from "@coxswain/types/rbac-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { roleBindingColumns } from "../../../table/role-binding-columns.ts";
import { defaultBinding, validateBinding, validateSameRole } from "../../../validation/rbac/role-binding.ts";

export const clusterRoleBinding = defineKind<ClusterRoleBinding>({
  type: "io.k8s.api.rbac.v1.ClusterRoleBinding",
  metadataPasses: ["whole", "changes"],
  name: "pathSegment",
  allowCreateOnUpdate: true,
  defaults: defaultBinding,
  validate: (obj) => validateBinding(obj, { namespaced: false }),
  validateUpdate: validateSameRole,
  columns: roleBindingColumns,
});
