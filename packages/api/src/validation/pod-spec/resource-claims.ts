import { field, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PodResourceClaim } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../checks.ts";

/** What the pod claims of devices; returns the names that its containers may refer to. */
export function validateResourceClaims(out: Errors, path: string, claims: readonly PodResourceClaim[] | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  claims?.forEach((claim, i) => {
    const at = `${path}[${i}]`;
    if (!claim.name) out.push(field.required(`${at}.name`));
    else if (names.has(claim.name)) out.push(field.duplicate(`${at}.name`, claim.name));
    else addInvalid(out, `${at}.name`, claim.name, validateDns1123Label(claim.name));
    if (claim.name) names.add(claim.name);
    validateSource(out, at, claim);
  });
  return names;
}

function validateSource(out: Errors, path: string, claim: PodResourceClaim): void {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
  const shown = { Name: claim.name, ResourceClaimName: name ?? null, ResourceClaimTemplateName: template ?? null };
  if (name !== undefined && template !== undefined) {
    out.push(field.invalid(path, shown, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"));
  }
  if (name === undefined && template === undefined) {
    out.push(field.invalid(path, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
  }
  if (name !== undefined) addInvalid(out, `${path}.resourceClaimName`, name, validateDns1123Subdomain(name));
  if (template !== undefined) addInvalid(out, `${path}.resourceClaimTemplateName`, template, validateDns1123Subdomain(template));
}
