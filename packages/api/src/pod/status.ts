/** What the kubelet may write of a pod's state. */
import { type FieldError, field, isDns1123Subdomain, isLegacyIp, isQualifiedName, isValidUserId, parseIp } from "@coxswain/machinery";
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "../types/core-v1.ts";
import { validateAnnotationChange } from "./annotations.ts";
import { type Errors, immutable, isSet, oneOf, refuse } from "./checks.ts";
import { validateExtendedClaim } from "./extended-claim-status.ts";
import { isSidecar } from "./visit-containers.ts";

const systemConditions = ["PodScheduled", "Ready", "Initialized"];
const noSpec: PodSpec = { containers: [] };

export function validatePodStatusUpdate(next: Readonly<Pod>, prev: Readonly<Pod>): FieldError[] {
  const out: Errors = [];
  const { status = {}, spec = noSpec } = next;
  const { status: prevStatus = {}, spec: prevSpec = noSpec } = prev;
  validateAnnotationChange(out, "metadata.annotations", next.metadata?.annotations, prev.metadata?.annotations);
  status.conditions?.forEach(({ type, observedGeneration }, i) => {
    validateGeneration(out, `status.conditions[${i}].observedGeneration`, observedGeneration);
    if (!systemConditions.includes(type)) refuse(out, `status.conditions[${i}].Type`, type, isQualifiedName(type));
  });
  const nominated = status.nominatedNodeName;
  if (nominated && nominated !== prevStatus.nominatedNodeName) {
    refuse(out, "status.nominatedNodeName", nominated, isDns1123Subdomain(nominated));
    if (prevSpec.nodeName) {
      out.push(field.forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"));
    }
  }
  validateGeneration(out, "status.observedGeneration", status.observedGeneration);
  if (status.qosClass !== prevStatus.qosClass) immutable(out, "status.qosClass", status.qosClass ?? "", prevStatus.qosClass);
  validateTransitions(out, status, prevStatus, prevSpec);
  validateClaimStatuses(out, status, spec);
  if (status.extendedResourceClaimStatus) validateExtendedClaim(out, status.extendedResourceClaimStatus, spec);
  if (status.podIPs) validatePodIps(out, status.podIPs);
  if (status.hostIPs?.length) validateHostIps(out, status);
  validateContainerStatuses(out, status, spec);
  return out;
}

function validateGeneration(out: Errors, path: string, generation: number | undefined): void {
  if (isSet(generation) && generation < 0) out.push(field.invalid(path, generation, "must be a non-negative integer"));
}

/** What has ended for good stays ended. */
function validateTransitions(out: Errors, next: PodStatus, prev: PodStatus, spec: PodSpec): void {
  const policy = spec.restartPolicy ?? "Always";
  const regular = { list: spec.containers ?? [], policy, sidecars: false };
  const init = { list: spec.initContainers ?? [], policy, sidecars: true };
  validateTransition(out, "status.containerStatuses", next.containerStatuses, prev.containerStatuses, regular);
  validateTransition(out, "status.initContainerStatuses", next.initContainerStatuses, prev.initContainerStatuses, init);
  const ephemeral = { list: [], policy: "Never", sidecars: false };
  validateTransition(out, "status.ephemeralContainerStatuses", next.ephemeralContainerStatuses, prev.ephemeralContainerStatuses, ephemeral);
}

interface Restarting {
  readonly list: readonly Container[];
  readonly policy: string;
  readonly sidecars: boolean;
}

function validateTransition(
  out: Errors,
  path: string,
  next: readonly ContainerStatus[] | undefined,
  prev: readonly ContainerStatus[] | undefined,
  { list, policy, sidecars }: Restarting,
): void {
  if (policy === "Always") return;
  prev?.forEach((old, i) => {
    const ended = old.state?.terminated;
    if (!ended || (ended.exitCode !== 0 && policy === "OnFailure")) return;
    const container = list.find((c) => c.name === old.name);
    if (container?.restartPolicyRules?.length || (container?.restartPolicy ?? "Never") !== "Never") return;
    if (sidecars && container && isSidecar(container)) return;
    if (next?.some((now) => now.name === old.name && !now.state?.terminated)) {
      out.push(field.forbidden(`${path}[${i}].state`, "may not be transitioned to non-terminated state"));
    }
  });
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
    if (resourceClaimName !== undefined) refuse(out, path, resourceClaimName, isDns1123Subdomain(resourceClaimName));
  });
}

/** At most one address of each family. */
function validateFamilies(out: Errors, path: string, addresses: readonly { readonly ip?: string }[]): void {
  const families = addresses.map(({ ip = "" }) => parseIp(ip)?.family);
  if (addresses.length > 1 && (new Set(families).size !== 2 || addresses.length > 2)) {
    out.push(field.invalid(path, addresses, "may specify no more than one IP for each IP family"));
  }
}

function validateAddresses(out: Errors, path: string, addresses: readonly { readonly ip?: string }[]): void {
  addresses.forEach(({ ip = "" }, i) => {
    refuse(out, `${path}[${i}]`, ip, isLegacyIp(ip));
  });
  validateFamilies(out, path, addresses);
}

const validatePodIps = (out: Errors, addresses: readonly { readonly ip?: string }[]): void =>
  validateAddresses(out, "status.podIPs", addresses);

function validateHostIps(out: Errors, { hostIP, hostIPs = [] }: PodStatus): void {
  if (hostIPs[0]?.ip !== hostIP) out.push(field.invalid("status.hostIPs[0].ip", hostIPs[0]?.ip, "must be equal to `hostIP`"));
  validateAddresses(out, "status.hostIPs", hostIPs);
}

function validateContainerStatuses(out: Errors, status: PodStatus, spec: PodSpec): void {
  const windows = spec.os?.name === "windows";
  for (const name of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    status[name]?.forEach((one, i) => {
      const path = `status.${name}[${i}]`;
      validateUser(out, `${path}.linux`, one, windows);
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
  refuse(out, `${path}.uid`, uid, isValidUserId(uid));
  refuse(out, `${path}.gid`, gid, isValidUserId(gid));
  supplementalGroups?.forEach((id, i) => {
    refuse(out, `${path}.supplementalGroups[${i}]`, id, isValidUserId(id));
  });
}

function validateAllocated(out: Errors, path: string, status: ContainerStatus, container: Container | undefined): void {
  status.allocatedResourcesStatus?.forEach(({ name, resources }, i) => {
    const problem = container ? allocationProblem(name, container) : undefined;
    if (problem !== undefined) out.push(field.invalid(`${path}[${i}].name`, name, problem));
    const seen = new Set<string>();
    resources?.forEach(({ health, resourceID }, j) => {
      oneOf(out, `${path}[${i}].resources[${j}].health`, health ?? "", ["Healthy", "Unhealthy", "Unknown"]);
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
