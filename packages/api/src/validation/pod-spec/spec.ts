/** The rules for a pod's spec, in a pod and in the template of one alike. */
import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PodSpec } from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";
import { addInvalid, type Errors, isSet, oneOf, requiredOneOf } from "../checks.ts";
import { validateLabels } from "../metadata/parts.ts";
import { ratchet } from "../ratcheting.ts";
import { validateAffinity } from "./affinity.ts";
import { type ContainerContext, validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts";
import { dnsPolicies, validateDns, validateHostAliases, validateHostNames, validateHostnameOverride } from "./dns.ts";
import { validateFileVolumes } from "./env.ts";
import { validateHostNetworkPorts } from "./ports.ts";
import { validateResourceClaims } from "./resource-claims.ts";
import { validatePodLevelResources, validateResources } from "./resources.ts";
import { validateReadinessGates, validateSchedulingGates, validateSpreadConstraints, validateTolerations } from "./scheduling.ts";
import { validatePodSecurityContext } from "./security-context.ts";
import { type PodContext, validateVolumes } from "./volumes.ts";
import { validateHostProcess, validateOs } from "./windows.ts";

const maxInt32 = 2147483647;
const noClaims: ReadonlySet<string> = new Set();

/** In Kubernetes' order: it is the order of the errors in the answer. */
export function validatePodSpec(out: Errors, path: string, spec: Readonly<PodSpec>, pod: PodContext): void {
  if (!isSet(spec.terminationGracePeriodSeconds)) out.push(field.required(`${path}.terminationGracePeriodSeconds`));
  const context: ContainerContext = {
    volumes: validateVolumes(out, `${path}.volumes`, spec.volumes, pod),
    claims: spec.resourceClaims ? validateResourceClaims(out, `${path}.resourceClaims`, spec.resourceClaims) : noClaims,
    spec,
    hostUsers: spec.hostUsers ?? true,
    isPod: pod.isPod,
  };
  validateContainers(out, `${path}.containers`, context);
  validateInitContainers(out, `${path}.initContainers`, context);
  validateEphemeralContainers(out, `${path}.ephemeralContainers`, context);
  validatePodLevelResources(out, `${path}.resources`, spec, context.claims);
  validateHostNetworkPorts(out, path, spec, pod.isPod);
  requiredOneOf(out, `${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  requiredOneOf(out, `${path}.dnsPolicy`, spec.dnsPolicy, dnsPolicies);
  if (spec.nodeSelector) validateLabels(out, spec.nodeSelector, `${path}.nodeSelector`);
  validatePodSecurityContext(out, `${path}.securityContext`, spec);
  if (spec.affinity) validateAffinity(out, `${path}.affinity`, spec.affinity);
  validateDns(out, `${path}.dnsConfig`, spec);
  if (spec.readinessGates) validateReadinessGates(out, `${path}.readinessGates`, spec.readinessGates);
  if (spec.schedulingGates) validateSchedulingGates(out, `${path}.schedulingGates`, spec.schedulingGates);
  if (spec.topologySpreadConstraints) validateSpreadConstraints(out, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  validateHostProcess(out, path, spec);
  if (spec.hostUsers === false) validateUserNamespace(out, path, spec);
  validateHostnameOverride(out, `${path}.hostnameOverride`, spec);
  validateNamesAndLimits(out, path, spec);
  validateOs(out, path, spec);
  validateFileVolumes(out, path, spec);
}

/** With users of its own a pod cannot share what belongs to the host's. Two of the paths are Kubernetes' spelling. */
function validateUserNamespace(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const refuseAt = (at: string) => out.push(field.forbidden(at, "when `hostUsers` is false"));
  if (spec.hostNetwork) ratchet(out, "host network users", () => refuseAt(`${path}.hostNetwork`));
  if (spec.hostPID) refuseAt(`${path}.HostPID`);
  if (spec.hostIPC) refuseAt(`${path}.HostIPC`);
  visitContainers(spec, path, (container, at) => {
    if (container.volumeDevices?.length) ratchet(out, "devices of users", () => refuseAt(`${at}.volumeDevices`));
  });
}

function validateNamesAndLimits(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  validateReference(out, `${path}.serviceAccountName`, spec.serviceAccountName);
  validateReference(out, `${path}.nodeName`, spec.nodeName);
  validateDeadline(out, `${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds);
  validateHostNames(out, path, spec);
  if (spec.tolerations) validateTolerations(out, `${path}.tolerations`, spec.tolerations);
  if (spec.hostAliases) validateHostAliases(out, `${path}.hostAliases`, spec.hostAliases);
  validateReference(out, `${path}.priorityClassName`, spec.priorityClassName);
  const runtimeClass = spec.runtimeClassName;
  if (isSet(runtimeClass)) addInvalid(out, `${path}.runtimeClassName`, runtimeClass, validateDns1123Subdomain(runtimeClass));
  oneOf(out, `${path}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  if (spec.overhead) validateResources(out, `${path}.overhead`, { limits: spec.overhead }, noClaims);
}

function validateReference(out: Errors, path: string, name: string | undefined): void {
  if (name) addInvalid(out, path, name, validateDns1123Subdomain(name));
}

function validateDeadline(out: Errors, path: string, seconds: number | undefined): void {
  if (isSet(seconds) && (seconds < 1 || seconds > maxInt32)) {
    out.push(field.invalid(path, seconds, `must be between 1 and ${maxInt32}, inclusive`));
  }
}
