/** The plug-ins that are on unless somebody turns them off, in Kubernetes' order. */

import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "../certificates/admission.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { taintNodesByCondition } from "./node-taint.ts";
import { podPriority } from "./pod-priority.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { storageProtection } from "./storage-protection.ts";
import { systemPriority } from "./system-priority.ts";

export const defaultAdmission = (): readonly AdmissionPlugin[] => [
  namespaceLifecycle,
  podPriority,
  systemPriority,
  podTopologyLabels,
  taintNodesByCondition,
  defaultTolerationSeconds,
  storageProtection,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  serviceAddresses(),
];
