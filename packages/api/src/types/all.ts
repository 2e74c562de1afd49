// Written by scripts/generate-api-types.ts.
import admissionregistrationV1 from "./admissionregistration-v1.json" with { type: "json" };
import apiextensionsV1 from "./apiextensions-v1.json" with { type: "json" };
import apiregistrationV1 from "./apiregistration-v1.json" with { type: "json" };
import appsV1 from "./apps-v1.json" with { type: "json" };
import authenticationV1 from "./authentication-v1.json" with { type: "json" };
import authorizationV1 from "./authorization-v1.json" with { type: "json" };
import autoscalingV1 from "./autoscaling-v1.json" with { type: "json" };
import autoscalingV2 from "./autoscaling-v2.json" with { type: "json" };
import batchV1 from "./batch-v1.json" with { type: "json" };
import certificatesV1 from "./certificates-v1.json" with { type: "json" };
import coordinationV1 from "./coordination-v1.json" with { type: "json" };
import coreV1 from "./core-v1.json" with { type: "json" };
import discoveryV1 from "./discovery-v1.json" with { type: "json" };
import eventsV1 from "./events-v1.json" with { type: "json" };
import flowcontrolV1 from "./flowcontrol-v1.json" with { type: "json" };
import metaV1 from "./meta-v1.json" with { type: "json" };
import networkingV1 from "./networking-v1.json" with { type: "json" };
import nodeV1 from "./node-v1.json" with { type: "json" };
import policyV1 from "./policy-v1.json" with { type: "json" };
import rbacV1 from "./rbac-v1.json" with { type: "json" };
import resourceV1 from "./resource-v1.json" with { type: "json" };
import schedulingV1 from "./scheduling-v1.json" with { type: "json" };
import storageV1 from "./storage-v1.json" with { type: "json" };

/** The facts of every built-in type, by group and version. */
export const typeFiles: Readonly<Record<string, unknown>> = {
  "admissionregistration-v1": admissionregistrationV1,
  "apiextensions-v1": apiextensionsV1,
  "apiregistration-v1": apiregistrationV1,
  "apps-v1": appsV1,
  "authentication-v1": authenticationV1,
  "authorization-v1": authorizationV1,
  "autoscaling-v1": autoscalingV1,
  "autoscaling-v2": autoscalingV2,
  "batch-v1": batchV1,
  "certificates-v1": certificatesV1,
  "coordination-v1": coordinationV1,
  "core-v1": coreV1,
  "discovery-v1": discoveryV1,
  "events-v1": eventsV1,
  "flowcontrol-v1": flowcontrolV1,
  "meta-v1": metaV1,
  "networking-v1": networkingV1,
  "node-v1": nodeV1,
  "policy-v1": policyV1,
  "rbac-v1": rbacV1,
  "resource-v1": resourceV1,
  "scheduling-v1": schedulingV1,
  "storage-v1": storageV1,
};
