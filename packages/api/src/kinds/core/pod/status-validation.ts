/** What the kubelet may write of a pod's state. */
import {
  type FieldError,
  field,
  parseIp,
  validateDns1123Subdomain,
  validateLegacyIp,
  validateQualifiedName,
  validateUserId,
} from "@coxswain/machinery";
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, immutable, isSet, oneOf } from "../../../validation/checks.ts";
import { validateAnnotationChange } from "../../../validation/pod-spec/annotations.ts";
import { utf8Length } from "../../../validation/utf8-length.ts";
import { validateExtendedClaim } from "./extended-claim-status.ts";

/** Bytes. */
const maxHealthMessage = 1024;
const systemConditions = ["PodScheduled", "Ready", "Initialized"];
const noSpec: PodSpec = { containers: [] };

export function validatePodStatusUpdate(next: Readonly<Pod>, prev: Readonly<Pod>): FieldError[] {
  const out: Errors = [];
  const { status = {}, spec = noSpec } = next;
  const { status: prevStatus = {}, spec: prevSpec = noSpec } = prev;
  validateAnnotationChange(out, "metadata.annotations", next.metadata?.annotations, prev.metadata?.annotations);
  status.conditions?.forEach(({ type, observedGeneration }, i) => {
    validateGeneration(out, `status.conditions[${i}].observedGeneration`, observedGeneration);
    if (!systemConditions.includes(type)) addInvalid(out, `status.conditions[${i}].Type`, type, validateQualifiedName(type));
  });
  const nominated = status.nominatedNodeName;
  if (nominated && nominated !== prevStatus.nominatedNodeName) {
    addInvalid(out, "status.nominatedNodeName", nominated, validateDns1123Subdomain(nominated));
    if (prevSpec.nodeName) {
      out.push(field.forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"));
    }
  }
  validateGeneration(out, "status.observedGeneration", status.observedGeneration);
  if (status.qosClass !== prevStatus.qosClass) immutable(out, "status.qosClass", status.qosClass ?? "", prevStatus.qosClass);
  validateTransitions(out, status, prevStatus, prevSpec);
  validateClaimStatuses(out, status, spec);
  if (status.extendedResourceClaimStatus) validateExtendedClaim(out, status.extendedResourceClaimStatus, spec);
  if (status.podIPs) validateAddresses(out, "status.podIPs", status.podIPs, prevStatus.podIPs ?? []);
  if (status.hostIPs?.length) validateHostIps(out, status, prevStatus.hostIPs ?? []);
  validateContainerStatuses(out, status, spec);
  return out;
}

function validateGeneration(out: Errors, path: string, generation: number | undefined): void {
  if (isSet(generation) && generation < 0) out.push(field.invalid(path, generation, "must be a non-negative integer"));
}

/** What has ended for good stays ended. */
function validateTransitions(out: Errors, next: PodStatus, prev: PodStatus, spec: PodSpec): void {
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const together = all.some((c) => c.restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"));
  for (const [name, list] of [
    ["containerStatuses", spec.containers ?? []],
    ["initContainerStatuses", spec.initContainers ?? []],
    ["ephemeralContainerStatuses", []],
  ] as const) {
    if (together && name !== "ephemeralContainerStatuses") continue;
    for (const [i, { name: called, state }] of (prev[name] ?? []).entries()) {
      const now = next[name]?.find((status) => status.name === called && !status.state?.terminated);
      if (!now || !state?.terminated) continue;
      const container = list.find((c) => c.name === called);
      if (container && mayRestart(container, spec, state.terminated.exitCode)) continue;
      out.push(field.forbidden(`status.${name}[${i}].state`, "may not be transitioned to non-terminated state"));
    }
  }
}

/** The container's own rules and policy go before the pod's. @see https://kep.k8s.io/5307 */
function mayRestart({ restartPolicy: own, restartPolicyRules: rules }: Container, spec: PodSpec, exitCode: number): boolean {
  const matches = rules?.some(({ action, exitCodes }) => {
    const known = action === "Restart" || action === "RestartAllContainers";
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return known && exitCodes !== undefined && listed === (exitCodes.operator === "In");
  });
  if (own !== undefined && matches) return true;
  const policy = own ?? spec.restartPolicy ?? "Always";
  return policy === "OnFailure" ? exitCode !== 0 : policy !== "Never";
}

function validateClaimStatuses(out: Errors, status: PodStatus, spec: PodSpec): void {
  const seen = new Set<string>();
  status.resourceClaimStatuses?.forEach(({ name, resourceClaimName }, i) => {
    const path = `status.resourceClaimStatuses[${i}].name`;
    if (!spec.resourceClaims?.some((c) => c.name === name)) {
      out.push(field.invalid(path, name, "must match the name of an entry in `spec.resourceClaims`"));
    }
    if (seen.has(name)) out.push(field.duplicate(path, name));
    seen.add(name);
    if (resourceClaimName !== undefined) addInvalid(out, path, resourceClaimName, validateDns1123Subdomain(resourceClaimName));
  });
}

/** At most one address of each family. */
function validateFamilies(out: Errors, path: string, addresses: readonly { readonly ip?: string }[]): void {
  const families = addresses.map(({ ip = "" }) => parseIp(ip)?.family);
  if (addresses.length > 1 && (new Set(families).size !== 2 || addresses.length > 2)) {
    out.push(field.invalid(path, addresses, "may specify no more than one IP for each IP family"));
  }
}

interface Address {
  readonly ip?: string;
}

/** What was there before may stay, however it is spelt. */
function validateAddresses(out: Errors, path: string, addresses: readonly Address[], before: readonly Address[]): void {
  const kept = before.map(({ ip }) => ip ?? "");
  addresses.forEach(({ ip = "" }, i) => {
    if (!kept.includes(ip)) addInvalid(out, `${path}[${i}]`, ip, validateLegacyIp(ip, { strict: true }));
  });
  validateFamilies(out, path, addresses);
}

function validateHostIps(out: Errors, { hostIP, hostIPs = [] }: PodStatus, before: readonly Address[]): void {
  if (hostIPs[0]?.ip !== hostIP) out.push(field.invalid("status.hostIPs[0].ip", hostIPs[0]?.ip, "must be equal to `hostIP`"));
  validateAddresses(out, "status.hostIPs", hostIPs, before);
}

function validateContainerStatuses(out: Errors, status: PodStatus, spec: PodSpec): void {
  const windows = spec.os?.name === "windows";
  for (const name of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    status[name]?.forEach((one, i) => {
      const path = `status.${name}[${i}]`;
      validateUser(out, `${path}.user.linux`, one, windows);
      if (name === "ephemeralContainerStatuses") {
        if (one.allocatedResourcesStatus?.length) {
          out.push(field.forbidden(`${path}.allocatedResourcesStatus`, "must not be specified in container status"));
        }
      } else {
        const list = name === "containerStatuses" ? spec.containers : spec.initContainers;
        validateAllocated(
          out,
          `${path}.allocatedResourcesStatus`,
          one,
          list?.find((c) => c.name === one.name),
        );
      }
    });
  }
}

function validateUser(out: Errors, path: string, { user }: ContainerStatus, windows: boolean): void {
  if (!user?.linux) return;
  if (windows) return void out.push(field.forbidden(path, "cannot be set for a windows pod"));
  const { uid, gid, supplementalGroups } = user.linux;
  addInvalid(out, `${path}.uid`, uid, validateUserId(uid));
  addInvalid(out, `${path}.gid`, gid, validateUserId(gid));
  supplementalGroups?.forEach((id, i) => {
    addInvalid(out, `${path}.supplementalGroups[${i}]`, id, validateUserId(id));
  });
}

function validateAllocated(out: Errors, path: string, status: ContainerStatus, container: Container | undefined): void {
  status.allocatedResourcesStatus?.forEach(({ name, resources }, i) => {
    const problem = container ? allocationProblem(name, container) : undefined;
    if (problem !== undefined) out.push(field.invalid(`${path}[${i}].name`, name, problem));
    const seen = new Set<string>();
    resources?.forEach(({ health, message, resourceID }, j) => {
      oneOf(out, `${path}[${i}].resources[${j}].health`, health ?? "", ["Healthy", "Unhealthy", "Unknown"]);
      const at = `${path}[${i}].resources[${j}].message`;
      if (message === "") out.push(field.required(at, "must be non-empty if specified"));
      else if (message !== undefined && utf8Length(message) > maxHealthMessage) out.push(field.tooLong(at, maxHealthMessage));
      if (seen.has(resourceID)) out.push(field.duplicate(`${path}[${i}].resources[${j}].resourceID`, resourceID));
      seen.add(resourceID);
    });
  });
}

function allocationProblem(name: string, { resources }: Container): string | undefined {
  if (!name.startsWith("claim:")) {
    return Object.hasOwn(resources?.requests ?? {}, name) ? undefined : "must match one of the container's resource requests";
  }
  const known = (resources?.claims ?? []).some((c) => name === `claim:${c.name}${c.request ? `/${c.request}` : ""}`);
  if (known) return undefined;
  return "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
}
