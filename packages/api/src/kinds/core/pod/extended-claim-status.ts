/** The claim that the scheduler makes for extended resources that devices back. @see https://kep.k8s.io/5004 */
import { field, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { ContainerExtendedResourceRequest, PodExtendedResourceClaimStatus, PodSpec } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../../../validation/checks.ts";

const path = "status.extendedResourceClaimStatus";

export function validateExtendedClaim(out: Errors, status: Readonly<PodExtendedResourceClaimStatus>, spec: Readonly<PodSpec>): void {
  const { requestMappings = [], resourceClaimName } = status;
  if (requestMappings.length === 0) out.push(field.required(`${path}.requestMappings`, "at least one request mapping is required"));
  const seen = new Set<string>();
  requestMappings.forEach((mapping, i) => {
    const { containerName, resourceName, requestName } = mapping;
    const at = `${path}.requestMappings[${i}]`;
    validateTarget(out, at, mapping, spec);
    addInvalid(out, `${path}.requestName`, requestName, validateDns1123Label(requestName));
    const pair = `${containerName} ${resourceName}`;
    if (seen.has(pair)) {
      out.push(field.duplicate(`${at}.containerName`, containerName));
      out.push(field.duplicate(`${at}.resourceName`, resourceName));
    }
    seen.add(pair);
  });
  if (!resourceClaimName) out.push(field.required(`${path}.resourceClaimName`));
  else addInvalid(out, `${path}.resourceClaimName`, resourceClaimName, validateDns1123Subdomain(resourceClaimName));
}

/** The container must be there and must ask for the resource. */
function validateTarget(
  out: Errors,
  at: string,
  { containerName, resourceName }: ContainerExtendedResourceRequest,
  spec: Readonly<PodSpec>,
): void {
  const container = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].find((c) => c.name === containerName);
  if (!container) {
    const detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
    out.push(field.invalid(`${at}.containerName`, containerName, detail));
  } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
    const detail =
      "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
    out.push(field.invalid(`${at}.resourceName`, resourceName, detail));
  }
}
