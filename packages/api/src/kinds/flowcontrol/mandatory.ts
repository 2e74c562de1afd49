/**
 * What every cluster has of flow control. The two of each kind named `exempt` and `catch-all` are mandatory: they are what
 * remains when everything else is deleted, so their specs are fixed. The others are suggestions.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#mandatory-configuration-objects
 */
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from "@coxswain/types/flowcontrol-v1";
import { danglingCondition } from "../../validation/flow-control-conditions.ts";

const allRequests: ResourcePolicyRule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
const allPaths: NonResourcePolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };
const everything = { resourceRules: [allRequests], nonResourceRules: [allPaths] };
const leases = (verbs: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});

const groups = (...names: string[]): Subject[] => names.map((name) => ({ kind: "Group", group: { name } }));
const users = (...names: string[]): Subject[] => names.map((name) => ({ kind: "User", user: { name } }));
const kubeSystem: Subject = { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } };
const allUsers = groups("system:unauthenticated", "system:authenticated");
const nodes = groups("system:nodes");

interface Flow {
  readonly level: string;
  readonly precedence: number;
  readonly by?: "ByUser" | "ByNamespace";
  readonly subjects: Subject[];
  readonly rules: { resourceRules?: ResourcePolicyRule[]; nonResourceRules?: NonResourcePolicyRule[] };
}

const flows: Readonly<Record<string, Flow>> = {
  __proto__: null as never,
  exempt: { level: "exempt", precedence: 1, subjects: groups("system:masters"), rules: everything },
  "catch-all": { level: "catch-all", precedence: 10_000, by: "ByUser", subjects: allUsers, rules: everything },
  probes: {
    level: "exempt",
    precedence: 2,
    subjects: allUsers,
    rules: { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
  },
  "system-leader-election": {
    level: "leader-election",
    precedence: 100,
    by: "ByUser",
    subjects: [...users("system:kube-controller-manager", "system:kube-scheduler"), kubeSystem],
    rules: { resourceRules: [leases(["get", "create", "update"])] },
  },
  "system-node-high": {
    level: "node-high",
    precedence: 400,
    by: "ByUser",
    subjects: nodes,
    rules: {
      resourceRules: [
        { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true, namespaces: ["*"] },
        leases(["*"]),
      ],
    },
  },
  "system-nodes": { level: "system", precedence: 500, by: "ByUser", subjects: nodes, rules: everything },
  "kube-controller-manager": {
    level: "workload-high",
    precedence: 800,
    by: "ByNamespace",
    subjects: users("system:kube-controller-manager"),
    rules: everything,
  },
  "kube-scheduler": {
    level: "workload-high",
    precedence: 800,
    by: "ByNamespace",
    subjects: users("system:kube-scheduler"),
    rules: everything,
  },
  "kube-system-service-accounts": { level: "workload-high", precedence: 900, by: "ByNamespace", subjects: [kubeSystem], rules: everything },
  "service-accounts": {
    level: "workload-low",
    precedence: 9000,
    by: "ByUser",
    subjects: groups("system:serviceaccounts"),
    rules: everything,
  },
  "global-default": { level: "global-default", precedence: 9900, by: "ByUser", subjects: allUsers, rules: everything },
};

const flowSpec = ({ level, precedence, by, subjects, rules }: Flow): FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
  rules: [{ subjects, ...rules }],
});

const queued = (shares: number, lendablePercent: number, queues: number, handSize: number): PriorityLevelConfigurationSpec => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  },
});

const levels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  __proto__: null as never,
  "catch-all": { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 } },
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  system: queued(30, 33, 64, 6),
  "node-high": queued(40, 25, 64, 6),
  "leader-election": queued(10, 0, 16, 4),
  "workload-high": queued(40, 50, 128, 6),
  "workload-low": queued(100, 90, 128, 6),
  "global-default": queued(20, 50, 128, 6),
};

/** Those levels are there even while their objects are not. */
export const isMandatoryLevel = (name: string): boolean => isMandatory(name);

const isMandatory = (name: string): boolean => name === "exempt" || name === "catch-all";

/** The specs that objects of these names must have; undefined for every other name. */
export const fixedFlowSpec = (name: string): FlowSchemaSpec | undefined => {
  const flow = isMandatory(name) ? flows[name] : undefined;
  return flow && flowSpec(flow);
};

export const fixedLevelSpec = (name: string): PriorityLevelConfigurationSpec | undefined => (isMandatory(name) ? levels[name] : undefined);

const metadataOf = (name: string) => ({ name, generation: 1, annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } });

/** The FlowSchemas that a new cluster has. @param since when their levels are there, RFC 3339 */
export const flowSchemas = (since: string): FlowSchema[] =>
  Object.entries(flows).map(([name, flow]) => ({
    kind: "FlowSchema",
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    metadata: metadataOf(name),
    spec: structuredClone(flowSpec(flow)),
    status: { conditions: [{ ...danglingCondition(flowSpec(flow).priorityLevelConfiguration.name, true), lastTransitionTime: since }] },
  }));

/** The priority levels that a new cluster has. */
export const priorityLevels = (): PriorityLevelConfiguration[] =>
  Object.entries(levels).map(([name, spec]) => ({
    kind: "PriorityLevelConfiguration",
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    metadata: metadataOf(name),
    spec: structuredClone(spec),
    status: {},
  }));
