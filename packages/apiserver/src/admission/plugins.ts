/** Which plug-ins there are, in Kubernetes' order, and which are on. */

import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "../certificates/admission.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { persistentVolumeClaimResize } from "./claim-resize.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { taintNodesByCondition } from "./node-taint.ts";
import { podPriority } from "./pod-priority.ts";
import { podResizeValidator } from "./pod-resize.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { storageProtection } from "./storage-protection.ts";
import { systemPriority } from "./system-priority.ts";

/** By their names, as kube-apiserver's `--enable-admission-plugins` and `--disable-admission-plugins` take them. */
export interface AdmissionChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

/** Somebody has to make the accounts that it asks for: a server alone does without it, as in Kubernetes' own test environment. */
const offByDefault: readonly AdmissionPlugin[] = [serviceAccount];

/** @throws TypeError for a name that no plug-in has */
export function chosenAdmission({ enable = [], disable = [] }: AdmissionChoice = {}): readonly AdmissionPlugin[] {
  for (const name of [...enable, ...disable])
    if (!isAdmissionPlugin(name)) throw new TypeError(`admission plugin ${JSON.stringify(name)} is unknown`);
  const isOn = (plugin: AdmissionPlugin): boolean => enable.includes(plugin.name) || !offByDefault.includes(plugin);
  return allAdmission().filter((plugin) => isOn(plugin) && !disable.includes(plugin.name));
}

/** Whether a plug-in has this name. */
export const isAdmissionPlugin = (name: string): boolean => allAdmission().some((plugin) => plugin.name === name);

const allAdmission = (): readonly AdmissionPlugin[] => [
  namespaceLifecycle,
  serviceAccount,
  taintNodesByCondition,
  podPriority,
  systemPriority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  podResizeValidator,
  serviceAddresses(),
];
