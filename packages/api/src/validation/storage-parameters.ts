/** What StorageClasses and VolumeAttributesClasses have in common: a driver and opaque parameters for it. */
import { field, validateDns1123Subdomain, validateQualifiedName } from "@coxswain/machinery";
import { addInvalid, type Errors, requiredText } from "./checks.ts";
import { utf8Length } from "./utf8-length.ts";

const maxEntries = 512;
const maxBytes = 256 * 1024;

export function validateDriverReference(out: Errors, path: string, driver: string | undefined): void {
  requiredText(out, path, driver);
  const lower = driver?.toLowerCase() ?? "";
  if (lower !== "") addInvalid(out, path, lower, validateQualifiedName(lower));
}

export function validateParameters(out: Errors, path: string, parameters: Readonly<Record<string, string>> = {}): void {
  const entries = Object.entries(parameters);
  if (entries.length > maxEntries) {
    out.push(field.tooLong(path, maxEntries));
    return;
  }
  if (Object.hasOwn(parameters, "")) out.push(field.invalid(path, "", "field can not be empty."));
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > maxBytes) out.push(field.tooLong(path, maxBytes));
}

/** The name under which a CSI driver registers; capitals are tolerated. */
export function validateCsiDriverName(out: Errors, path: string, name: string | undefined): void {
  if (!name) {
    out.push(field.required(path));
    return;
  }
  if (name.length > 63) out.push(field.tooLong(path, 63));
  addInvalid(out, path, name, validateDns1123Subdomain(name.toLowerCase()));
}
