// Written by scripts/generate-api-types.ts from the facts beside it.
import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";
import type { LabelSelector, ListMeta } from "./meta-v1.ts";

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

export interface ClusterRole extends KubeObject {
  aggregationRule?: AggregationRule;
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  rules?: PolicyRule[];
}

export interface ClusterRoleBinding extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  roleRef: RoleRef;
  subjects?: Subject[];
}

export interface ClusterRoleBindingList {
  apiVersion?: string;
  items: ClusterRoleBinding[];
  kind?: string;
  metadata?: ListMeta;
}

export interface ClusterRoleList {
  apiVersion?: string;
  items: ClusterRole[];
  kind?: string;
  metadata?: ListMeta;
}

export interface PolicyRule {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
}

export interface Role extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  rules?: PolicyRule[];
}

export interface RoleBinding extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  roleRef: RoleRef;
  subjects?: Subject[];
}

export interface RoleBindingList {
  apiVersion?: string;
  items: RoleBinding[];
  kind?: string;
  metadata?: ListMeta;
}

export interface RoleList {
  apiVersion?: string;
  items: Role[];
  kind?: string;
  metadata?: ListMeta;
}

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}
