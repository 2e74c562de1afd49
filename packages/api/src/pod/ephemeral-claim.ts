/** A claim that lives and dies with its pod: the same rules as for a claim of its own. */
import { field, isDns1123Subdomain, parseQuantity } from "@coxswain/machinery";
import { checkLabels } from "../meta/parts.ts";
import type { EphemeralVolumeSource, PersistentVolumeClaimSpec } from "../types/core-v1.ts";
import { type Errors, oneOf, refuse } from "./checks.ts";
import { validateLabelSelector } from "./label-selector.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** `path` is the volume's. The claim will be called after pod and volume. */
export function validateEphemeralClaim(
  out: Errors,
  path: string,
  volumeName: string,
  { volumeClaimTemplate: template }: EphemeralVolumeSource,
  podName: string | undefined,
): void {
  const at = `${path}.ephemeral.volumeClaimTemplate`;
  if (!template) out.push(field.required(at));
  else {
    if (template.metadata?.labels) checkLabels(out, template.metadata.labels, `${at}.metadata.labels`);
    validateClaimSpec(out, `${at}.spec`, template.spec ?? {});
  }
  if (!podName || !volumeName) return;
  const claim = `${podName}-${volumeName}`;
  for (const problem of isDns1123Subdomain(claim)) out.push(field.invalid(`${path}.name`, volumeName, `PVC name "${claim}": ${problem}`));
}

function validateClaimSpec(out: Errors, path: string, spec: Readonly<PersistentVolumeClaimSpec>): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) out.push(field.required(`${path}.accessModes`, "at least 1 access mode is required"));
  validateLabelSelector(out, `${path}.selector`, spec.selector);
  for (const mode of modes) oneOf(out, `${path}.accessModes`, mode, accessModes);
  if (modes.includes("ReadWriteOncePod") && modes.some((m) => m !== "ReadWriteOncePod" && accessModes.includes(m))) {
    out.push(field.forbidden(`${path}.accessModes`, "may not use ReadWriteOncePod with other access modes"));
  }
  const storage = spec.resources?.requests?.storage;
  const amount = storage === undefined ? undefined : parseQuantity(storage);
  if (amount === undefined) out.push(field.required(`${path}.resources[storage]`));
  else if (amount.sign() <= 0) out.push(field.invalid(`${path}.resources[storage]`, amount.toString(), "must be greater than zero"));
  for (const name of ["storageClassName", "volumeAttributesClassName"] as const) {
    const value = spec[name];
    if (value) refuse(out, `${path}.${name}`, value, isDns1123Subdomain(value));
  }
  oneOf(out, `${path}.volumeMode`, spec.volumeMode, ["Block", "Filesystem"]);
}
