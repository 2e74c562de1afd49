import { defineKind } from "../../../strategy/strategy.ts";
import { roleBindingColumns } from "../../../table/role-binding-columns.ts";
import type { ClusterRoleBinding } from "../../../types/rbac-v1.ts";
import { checkBinding, checkSameRole, defaultBinding } from "../../../validation/rbac/role-binding.ts";

export const clusterRoleBinding = defineKind<ClusterRoleBinding>({
  type: "io.k8s.api.rbac.v1.ClusterRoleBinding",
  name: "pathSegment",
  allowCreateOnUpdate: true,
  defaults: defaultBinding,
  validate: (obj) => checkBinding(obj, { namespaced: false }),
  validateUpdate: checkSameRole,
  columns: roleBindingColumns,
});
