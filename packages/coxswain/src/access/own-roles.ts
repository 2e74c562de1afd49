/** Roles of what Kubernetes' default roles do not know: they come with other programs there. */
import type { RbacBinding, RbacRole } from "@coxswain/api";
import { kubeletClientName } from "../pki/certificates.ts";

/** As which metrics-server runs where it is installed. */
export const metricsServiceAccount = "metrics-server";

/** As which simulated nodes share their copies of all Nodes and Pods; each reads and writes all else as the node that it is. */
export const simulatedNodesServiceAccount = "simulated-nodes";

const simulatedNodesRole = "system:simulated-nodes";
const metricsRole = "system:metrics-server";
const group = "rbac.authorization.k8s.io";
const metadata = (name: string) => ({
  name,
  annotations: { [`${group}/autoupdate`]: "true" },
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
});
const bindingTo = (role: string, name: string, subject: NonNullable<RbacBinding["subjects"]>[number]): RbacBinding => ({
  apiVersion: `${group}/v1`,
  kind: "ClusterRoleBinding",
  metadata: metadata(name),
  roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
  subjects: [subject],
});

/** The API server at the kubelets, which ask it whether it may do there what it asks for. */
const kubeletClient: readonly RbacBinding[] = [
  bindingTo("system:kubelet-api-admin", kubeletClientName, { apiGroup: group, kind: "User", name: kubeletClientName }),
];

/** As metrics-server brings it along, which asks kubelets itself; here the API server passes it on. */
const metrics: readonly (RbacRole | RbacBinding)[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(metricsRole),
    rules: [
      { apiGroups: [""], resources: ["nodes/metrics", "nodes/proxy"], verbs: ["get"] },
      { apiGroups: [""], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
    ],
  },
  bindingTo(metricsRole, metricsRole, { kind: "ServiceAccount", name: metricsServiceAccount, namespace: "kube-system" }),
];

const simulatedNodes: readonly (RbacRole | RbacBinding)[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(simulatedNodesRole),
    rules: [
      { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list", "watch"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch", "update"] },
    ],
  },
  bindingTo(simulatedNodesRole, simulatedNodesRole, {
    kind: "ServiceAccount",
    name: simulatedNodesServiceAccount,
    namespace: "kube-system",
  }),
];

interface OwnParts {
  readonly measures: boolean;
  readonly simulatesNodes: boolean;
}

/** What the server keeps beside the default roles. */
export const ownRoles = ({ measures, simulatesNodes }: OwnParts): readonly (RbacRole | RbacBinding)[] => [
  ...kubeletClient,
  ...(measures ? metrics : []),
  ...(simulatesNodes ? simulatedNodes : []),
];
