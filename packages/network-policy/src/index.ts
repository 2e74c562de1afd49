export { type PolicyPod, policyPod } from "./contracts/policy-pod.ts";
export { type PolicyTable, tableName } from "./contracts/policy-table.ts";
export { changesBetween, type PolicyTransaction, wholeTable } from "./nft/changes.ts";
export { type NodeAddresses, policyTable } from "./nft/rules.ts";
export { type NodeRules, nodeRules, type PolicyInput } from "./rules/pod-rules.ts";
export { type ReadPolicy, readPolicy } from "./rules/read-policy.ts";
export { createNetworkPolicyAgent, type NetworkPolicyAgent } from "./server/network-policy-agent.ts";
export type { RulesWriterOptions } from "./server/rules-writer.ts";
export { type IsolationOptions, type StartingPod, StartingPods } from "./server/starting-pods.ts";
