/** Roles of what Kubernetes' default roles do not know: they come with other programs there. */
import type { RbacBinding, RbacRole } from "@coxswain/api";
import { kubeletClientName } from "../pki/certificates.ts";

/** As which metrics-server runs where it is installed. */
export const metricsServiceAccount = "metrics-server";

/** As which simulated nodes share their copies of all Nodes and Pods; each reads and writes all else as the node that it is. */
export const simulatedNodesServiceAccount = "simulated-nodes";

/** As which cluster DNS runs, whose rights kubeadm gives to CoreDNS; and it keeps what leads to itself. */
export const dnsServiceAccount = "coredns";

/** As which Pods get their addresses, and ways to those of other nodes. */
export const podNetworkServiceAccount = "pod-network";

const podNetworkRole = "system:pod-network";
/** As which NetworkPolicies are enforced, which takes reading what they are about. */
export const networkPolicyServiceAccount = "network-policy";

/** As whom machines that join enforce them, by a kubeconfig. */
const networkPolicyUser = "system:network-policy";

/** Not one of Kubernetes' own, which begin with `system:`. */
const historyViewerRole = "coxswain:history-viewer";

const networkPolicyRole = "system:network-policy";
const dnsRole = "system:coredns";
const kubeDnsRole = "system:kube-dns";
const simulatedNodesRole = "system:simulated-nodes";
const metricsRole = "system:metrics-server";
const group = "rbac.authorization.k8s.io";
const metadata = (name: string) => ({
  name,
  annotations: { [`${group}/autoupdate`]: "true" },
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
});
const bindingTo = (role: string, name: string, ...subjects: NonNullable<RbacBinding["subjects"]>): RbacBinding => ({
  apiVersion: `${group}/v1`,
  kind: "ClusterRoleBinding",
  metadata: metadata(name),
  roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
  subjects,
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

const podNetwork: readonly (RbacRole | RbacBinding)[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(podNetworkRole),
    rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }],
  },
  bindingTo(podNetworkRole, podNetworkRole, { kind: "ServiceAccount", name: podNetworkServiceAccount, namespace: "kube-system" }),
];

const networkPolicy: readonly (RbacRole | RbacBinding)[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(networkPolicyRole),
    rules: [
      { apiGroups: [""], resources: ["pods", "namespaces"], verbs: ["list", "watch"] },
      { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["list", "watch"] },
    ],
  },
  bindingTo(
    networkPolicyRole,
    networkPolicyRole,
    { kind: "ServiceAccount", name: networkPolicyServiceAccount, namespace: "kube-system" },
    { apiGroup: group, kind: "User", name: networkPolicyUser },
  ),
];

const ofDns = { kind: "ServiceAccount", name: dnsServiceAccount, namespace: "kube-system" };
const inSystem = { ...metadata(kubeDnsRole), namespace: "kube-system" };

const dns: readonly (RbacRole | RbacBinding)[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(dnsRole),
    rules: [
      { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], verbs: ["list", "watch"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
    ],
  },
  bindingTo(dnsRole, dnsRole, ofDns),
  {
    apiVersion: `${group}/v1`,
    kind: "Role",
    metadata: inSystem,
    rules: [
      { apiGroups: [""], resources: ["services"], resourceNames: ["kube-dns"], verbs: ["get"] },
      {
        apiGroups: ["discovery.k8s.io"],
        resources: ["endpointslices"],
        resourceNames: ["kube-dns-ipv4", "kube-dns-ipv6"],
        verbs: ["get", "update", "delete"],
      },
      // What is created has no name yet that a role could be about.
      { apiGroups: [""], resources: ["services"], verbs: ["create"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["create"] },
    ],
  },
  {
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata: inSystem,
    roleRef: { apiGroup: group, kind: "Role", name: kubeDnsRole },
    subjects: [ofDns],
  },
];

/**
 * Everyone who is known may ask what happened: each answer has only objects that who asks may get or list. What is asked of one object, below
 * `/coxswain/v1/past`, `history` and `blame`, takes the rights on that object instead.
 */
const history: readonly (RbacRole | RbacBinding)[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: metadata(historyViewerRole),
    rules: [
      {
        nonResourceURLs: [
          "/coxswain/ui",
          "/coxswain/ui/*",
          "/coxswain/v1/conflicts",
          "/coxswain/v1/invariants",
          "/coxswain/v1/scheduling/*",
          "/coxswain/v1/timeline",
        ],
        verbs: ["get"],
      },
    ],
  },
  bindingTo(historyViewerRole, historyViewerRole, { apiGroup: group, kind: "Group", name: "system:authenticated" }),
];

interface OwnParts {
  readonly measures: boolean;
  readonly answersNames: boolean;
  readonly simulatesNodes: boolean;
  readonly networksPods: boolean;
  readonly enforcesPolicies: boolean;
}

/** What the server keeps beside the default roles. */
export const ownRoles = (parts: OwnParts): readonly (RbacRole | RbacBinding)[] => [
  ...kubeletClient,
  ...history,
  ...(parts.measures ? metrics : []),
  ...(parts.simulatesNodes ? simulatedNodes : []),
  ...(parts.answersNames ? dns : []),
  ...(parts.networksPods ? podNetwork : []),
  ...(parts.enforcesPolicies ? networkPolicy : []),
];
