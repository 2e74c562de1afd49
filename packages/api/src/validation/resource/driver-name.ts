import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import { addInvalid, type Errors } from "../checks.ts";
import { validateCsiDriverName } from "../storage-parameters.ts";

const maxPoolNameLength = 253;

/** Drivers of devices are named as drivers of volumes are. */
export const validateDriverName = validateCsiDriverName;

/** Subdomains with slashes between them. */
export function validatePoolName(out: Errors, path: string, name: string | undefined): void {
  if (!name) {
    out.push(field.required(path));
    return;
  }
  if (name.length > maxPoolNameLength) out.push(field.tooLong(path, maxPoolNameLength));
  for (const part of name.split("/")) addInvalid(out, path, part, validateDns1123Subdomain(part));
}
