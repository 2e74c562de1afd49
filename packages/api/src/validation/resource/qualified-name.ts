/**
 * How attributes and capacities of devices are named: a C identifier, and before it the domain whose name it is, which
 * may be left out where the driver's is meant.
 */
import { field, validateCIdentifier } from "@coxswain/machinery";
import { addInvalid, type Errors } from "../checks.ts";
import { validateDriverName } from "./driver-name.ts";

const maxIdentifierLength = 32;
const maxLength = 63 + 1 + maxIdentifierLength;

/** Names with more than one slash are let through. */
export function validateDeviceQualifiedName(out: Errors, path: string, name: string): void {
  const [domain = "", id, ...more] = name.split("/");
  if (id === undefined) validateIdentifier(out, path, domain);
  if (id === undefined || more.length > 0) return;
  if (domain === "") out.push(field.invalid(path, "", "the domain must not be empty"));
  else validateDriverName(out, path, domain);
  if (id === "") out.push(field.invalid(path, "", "the name must not be empty"));
  else validateIdentifier(out, path, id);
}

export function validateFullyQualifiedName(out: Errors, path: string, name: string): void {
  validateDeviceQualifiedName(out, path, name);
  if (name.includes("/")) return;
  out.push(field.invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash"));
}

/** What is under a name; names that are too long are shortened in the path. */
export const entryPath = (path: string, name: string): string => `${path}[${shortened(name)}]`;

function shortened(name: string): string {
  if (name.length <= maxLength) return name;
  const rest = maxLength - "...".length;
  return `${name.slice(0, Math.ceil(rest / 2))}...${name.slice(name.length - Math.floor(rest / 2))}`;
}

function validateIdentifier(out: Errors, path: string, id: string): void {
  if (id.length > maxIdentifierLength) out.push(field.tooLong(path, maxIdentifierLength));
  addInvalid(out, path, id, validateCIdentifier(id));
}
