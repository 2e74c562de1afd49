/**
 * What the server fills into a pod, and into the template of a pod. Everything is changed in place.
 * Fields that would change every stored template are filled in for pods only.
 */
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus, PodTemplateSpec } from "@coxswain/types/core-v1";
import { defaultContainer } from "./default-container.ts";
import { defaultPodLevelResources, requestWhatIsLimited, roundAmounts, roundResources } from "./default-resources.ts";
import { defaultVolume } from "./default-volumes.ts";

export function defaultPod(pod: Pod): void {
  pod.spec ??= { containers: [] };
  const { spec } = pod;
  defaultPodSpec(spec);
  for (const container of spec.containers ?? []) requestWhatIsLimited(container);
  for (const container of spec.initContainers ?? []) requestWhatIsLimited(container);
  defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    useHostPorts(spec.containers);
    useHostPorts(spec.initContainers);
  }
  if (pod.status) defaultStatus(pod.status);
}

function defaultStatus(status: PodStatus): void {
  agreeOnPodIp(status);
  roundAmounts(status.allocatedResources);
  if (status.resources) roundResources(status.resources);
  status.containerStatuses?.forEach(roundAllocated);
  status.initContainerStatuses?.forEach(roundAllocated);
  status.ephemeralContainerStatuses?.forEach(roundAllocated);
}

const roundAllocated = ({ allocatedResources }: ContainerStatus): void => roundAmounts(allocatedResources);

/** The template itself may be absent where the kind allows it. */
export function defaultPodTemplate(template: PodTemplateSpec | undefined): void {
  if (!template) return;
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
  if (template.spec.resources) roundResources(template.spec.resources);
}

function defaultPodSpec(spec: PodSpec): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  agreeOnServiceAccount(spec);
  roundAmounts(spec.overhead);
  spec.volumes?.forEach(defaultVolume);
  spec.containers?.forEach(defaultContainer);
  spec.initContainers?.forEach(defaultContainer);
  spec.ephemeralContainers?.forEach(defaultContainer);
}

/** Two spellings of one field; the newer one wins. */
function agreeOnServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function useHostPorts(containers: readonly Container[] | undefined): void {
  for (const container of containers ?? []) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** `podIP` is the first of `podIPs`; who writes only the one gets the other. */
function agreeOnPodIp(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP) {
    if (status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  } else if (first) {
    status.podIP = first;
  }
}
