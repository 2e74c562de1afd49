import { field, goQuote, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { Errors } from "./checks.ts";

const maxDomainLength = 253;
/** A domain, a slash, and room for a namespace and a name. */
const maxLength = maxDomainLength + 1 + 253 + 1 + 63;

/** A domain and a path: `example.com/signer`. */
export function validateSignerName(out: Errors, path: string, name: string): void {
  if (name === "") {
    out.push(field.required(path));
    return;
  }
  const [domain = "", rest, ...more] = name.split("/");
  if (rest === undefined || more.length > 0) {
    out.push(field.invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
    return;
  }
  if (domain.length > maxDomainLength) out.push(field.tooLong(path, maxDomainLength));
  validateParts(out, path, domain, validateDns1123Label);
  if (!domain.includes(".")) out.push(field.invalid(path, domain, "should be a domain with at least two segments separated by dots"));
  validateParts(out, path, rest, validateDns1123Subdomain);
  if (name.length > maxLength) out.push(field.tooLong(path, maxLength));
}

/** The first part that is wrong says enough. */
function validateParts(out: Errors, path: string, text: string, check: (part: string) => string[]): void {
  const wrong = text.split(".").find((part) => check(part).length > 0);
  if (wrong === undefined) return;
  for (const problem of check(wrong)) out.push(field.invalid(path, text, `validating label ${goQuote(wrong)}: ${problem}`));
}
