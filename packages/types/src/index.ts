// Written by scripts/generate-api-types.ts.
/** The types of Kubernetes' API objects, a namespace for each group and version: `coreV1.Pod`. */
export type * as admissionregistrationV1 from "./admissionregistration-v1.ts";
export type * as apiextensionsV1 from "./apiextensions-v1.ts";
export type * as apiregistrationV1 from "./apiregistration-v1.ts";
export type * as appsV1 from "./apps-v1.ts";
export type * as authenticationV1 from "./authentication-v1.ts";
export type * as authorizationV1 from "./authorization-v1.ts";
export type * as autoscalingV1 from "./autoscaling-v1.ts";
export type * as autoscalingV2 from "./autoscaling-v2.ts";
export type * as batchV1 from "./batch-v1.ts";
export type * as certificatesV1 from "./certificates-v1.ts";
export type * as coordinationV1 from "./coordination-v1.ts";
export type * as coreV1 from "./core-v1.ts";
export type * as discoveryV1 from "./discovery-v1.ts";
export type * as eventsV1 from "./events-v1.ts";
export type * as flowcontrolV1 from "./flowcontrol-v1.ts";
export type * as metaV1 from "./meta-v1.ts";
export type * as networkingV1 from "./networking-v1.ts";
export type * as nodeV1 from "./node-v1.ts";
export type * as policyV1 from "./policy-v1.ts";
export type * as rbacV1 from "./rbac-v1.ts";
export type * as resourceV1 from "./resource-v1.ts";
export type * as schedulingV1 from "./scheduling-v1.ts";
export type * as storageV1 from "./storage-v1.ts";
