import type { ClusterRoleBinding, RoleBinding } from "@coxswain/types/rbac-v1";
import { ageColumn, defineColumns, nameColumn } from "./columns.ts";

type Binding = RoleBinding | ClusterRoleBinding;

/** Those of RoleBindings and of ClusterRoleBindings. */
export const roleBindingColumns = defineColumns<Binding>([
  nameColumn,
  {
    name: "Role",
    type: "string",
    description: "The role that is granted.",
    value: ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`,
  },
  ageColumn,
  {
    name: "Users",
    type: "string",
    priority: 1,
    description: "Users that are granted the role.",
    value: (obj) => subjectNames(obj, "User"),
  },
  {
    name: "Groups",
    type: "string",
    priority: 1,
    description: "Groups that are granted the role.",
    value: (obj) => subjectNames(obj, "Group"),
  },
  {
    name: "ServiceAccounts",
    type: "string",
    priority: 1,
    description: "Service accounts that are granted the role.",
    value: (obj) => subjectNames(obj, "ServiceAccount"),
  },
]);

const subjectNames = ({ subjects = [] }: Readonly<Binding>, wanted: string): string =>
  subjects
    .filter(({ kind }) => kind === wanted)
    .map(({ namespace = "", name }) => (wanted === "ServiceAccount" ? `${namespace}/${name}` : name))
    .join(", ");
