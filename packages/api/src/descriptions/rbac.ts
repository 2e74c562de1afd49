import type { Texts } from "./texts.ts";

const rules = "What may be done. Rules only add up.";
const subjects = "Who gets the rights.";

export const rbacTexts: Texts = {
  Role: { "": "Rights in one namespace.", rules },
  ClusterRole: {
    "": "Rights in the whole cluster, or in any one namespace.",
    aggregationRule: "Selects ClusterRoles whose rules are taken over. The server then writes rules.",
    rules,
  },
  AggregationRule: { "": "Which ClusterRoles make up another.", clusterRoleSelectors: "Selectors. One is enough." },
  PolicyRule: {
    "": "Some verbs on some resources or paths.",
    apiGroups: 'Groups of the resources: "" for core, * for all.',
    nonResourceURLs: "Paths that are no resources. A * at the end stands for anything.",
    resourceNames: "Names of single objects. Empty means all.",
    resources: "Resources, such as pods or pods/log; * for all.",
    verbs: "get, list, watch, create, update, patch, delete, deletecollection and others; * for all.",
  },
  RoleBinding: {
    "": "Gives the rights of a Role or ClusterRole, within its namespace.",
    roleRef: "Which role. It never changes.",
    subjects,
  },
  ClusterRoleBinding: {
    "": "Gives the rights of a ClusterRole, in the whole cluster.",
    roleRef: "Which role. It never changes.",
    subjects,
  },
  RoleRef: { "": "Names a role.", apiGroup: "rbac.authorization.k8s.io.", kind: "Role or ClusterRole.", name: "Its name." },
  Subject: {
    "": "Who gets rights.",
    apiGroup: "rbac.authorization.k8s.io for users and groups, empty for service accounts.",
    kind: "User, Group or ServiceAccount.",
    name: "Name.",
    namespace: "Namespace of a service account.",
  },
};
