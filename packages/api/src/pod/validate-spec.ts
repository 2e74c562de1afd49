/** The rules for a pod's spec, in a pod and in the template of one alike. */
import { field, isDns1123Subdomain } from "@coxswain/machinery";
import { checkLabels } from "../meta/parts.ts";
import type { PodSpec } from "../types/core-v1.ts";
import { validateAffinity } from "./affinity.ts";
import { type Errors, isSet, oneOf, refuse, requiredOneOf } from "./checks.ts";
import { type ContainerContext, validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts";
import { validateDns, validateHostNames } from "./dns.ts";
import { validateHostNetworkPorts } from "./ports.ts";
import { validateResourceClaims } from "./resource-claims.ts";
import { validatePodLevelResources, validateResources } from "./resources.ts";
import { validateReadinessGates, validateSchedulingGates, validateSpreadConstraints, validateTolerations } from "./scheduling.ts";
import { validatePodSecurityContext } from "./security-context.ts";
import { type PodContext, validateVolumes } from "./volumes.ts";
import { validateHostProcess, validateOs } from "./windows.ts";

const maxInt32 = 2147483647;
const noClaims: ReadonlySet<string> = new Set();

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
  validateDns(out, path, spec);
  validatePodSecurityContext(out, `${path}.securityContext`, spec);
  validatePlacement(out, path, spec);
  validateHostProcess(out, path, spec);
  if (spec.hostUsers === false) validateUserNamespace(out, path, spec);
  validateReferences(out, path, spec);
  validateHostNames(out, path, spec);
  validateDeadline(out, `${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds);
  oneOf(out, `${path}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  if (spec.overhead) validateResources(out, `${path}.overhead`, { limits: spec.overhead }, noClaims);
  validateOs(out, path, spec);
}

function validatePlacement(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  if (spec.nodeSelector) checkLabels(out, spec.nodeSelector, `${path}.nodeSelector`);
  if (spec.affinity) validateAffinity(out, `${path}.affinity`, spec.affinity);
  if (spec.readinessGates) validateReadinessGates(out, `${path}.readinessGates`, spec.readinessGates);
  if (spec.schedulingGates) validateSchedulingGates(out, `${path}.schedulingGates`, spec.schedulingGates);
  if (spec.topologySpreadConstraints) validateSpreadConstraints(out, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  if (spec.tolerations) validateTolerations(out, `${path}.tolerations`, spec.tolerations);
}

/** With users of its own a pod cannot share what belongs to the host's. Two of the paths are Kubernetes' spelling. */
function validateUserNamespace(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const refuseAt = (at: string) => out.push(field.forbidden(at, "when `pod.Spec.HostUsers` is false"));
  if (spec.hostNetwork) refuseAt(`${path}.hostNetwork`);
  if (spec.hostPID) refuseAt(`${path}.HostPID`);
  if (spec.hostIPC) refuseAt(`${path}.HostIPC`);
}

function validateReferences(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  for (const name of ["serviceAccountName", "nodeName", "priorityClassName"] as const) {
    const value = spec[name];
    if (value) refuse(out, `${path}.${name}`, value, isDns1123Subdomain(value));
  }
  const runtimeClass = spec.runtimeClassName;
  if (isSet(runtimeClass)) refuse(out, `${path}.runtimeClassName`, runtimeClass, isDns1123Subdomain(runtimeClass));
}

function validateDeadline(out: Errors, path: string, seconds: number | undefined): void {
  if (isSet(seconds) && (seconds < 1 || seconds > maxInt32)) {
    out.push(field.invalid(path, seconds, `must be between 1 and ${maxInt32}, inclusive`));
  }
}
