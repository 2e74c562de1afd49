/** A claim that lives and dies with its pod: the same rules as for a claim of its own. */
import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { Volume } from "@coxswain/types/core-v1";
import type { Errors } from "../checks.ts";
import { validateTemplateMeta } from "../metadata/template.ts";
import { validateClaimSpec } from "../persistent-volume-claim/spec.ts";

/** `path` is the volume's. The claim will be called after pod and volume. */
export function validateEphemeralClaim(
  out: Errors,
  path: string,
  { name: volumeName, ephemeral }: Readonly<Volume>,
  podName: string | undefined,
): void {
  const template = ephemeral?.volumeClaimTemplate;
  const at = `${path}.ephemeral.volumeClaimTemplate`;
  if (!template) out.push(field.required(at));
  else {
    validateTemplateMeta(out, template.metadata ?? {}, `${at}.metadata`);
    validateClaimSpec(out, `${at}.spec`, template.spec ?? {});
  }
  if (!podName || !volumeName) return;
  const claim = `${podName}-${volumeName}`;
  for (const problem of validateDns1123Subdomain(claim))
    out.push(field.invalid(`${path}.name`, volumeName, `PVC name "${claim}": ${problem}`));
}
