/** What a version may say beside its schema, and which versions have to be there. */
import { field } from "@coxswain/machinery";
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@coxswain/types/apiextensions-v1";
import type { Errors } from "../../../validation/checks.ts";
import { asJson } from "./spec-form.ts";

export function validateStoredVersions(out: Errors, { spec, status }: Readonly<CustomResourceDefinition>): void {
  const path = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    out.push(field.invalid(path, null, "must have at least one stored version"));
    return;
  }
  const versions = spec?.versions ?? [];
  for (const { name, storage } of versions) {
    if (storage && !stored.includes(name)) out.push(field.invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    out.push(field.invalid(`${path}[${i}]`, name, why));
  }
}

const maxWarningBytes = 256;

export function validateDeprecation(out: Errors, path: string, version: Readonly<CustomResourceDefinitionVersion>): void {
  const { deprecated = false, deprecationWarning: warning } = version;
  if (warning === undefined) return;
  const at = `${path}.deprecationWarning`;
  const shown = asJson(warning);
  if (!deprecated) {
    out.push(field.invalid(at, shown, "can only be set for deprecated versions"));
    return;
  }
  const bytes = new TextEncoder().encode(warning).length;
  if (bytes > maxWarningBytes) out.push(field.invalid(at, shown, `must be <= ${maxWarningBytes} characters long`));
  if (bytes === 0) out.push(field.invalid(at, shown, "must not be an empty string"));
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (odd === null) return;
  const index = new TextEncoder().encode(warning.slice(0, odd.index)).length;
  const why = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
  out.push(field.invalid(at, shown, why));
}
