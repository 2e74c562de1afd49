/** What constrained impersonation does not take as extra of a user. */
import { goQuote, regexMessage, validateDns1123Subdomain } from "@coxswain/machinery";

/** The reason, or undefined. */
export function invalidExtra(extra: readonly (readonly [key: string, values: readonly string[]])[]): string | undefined {
  for (const [key, values] of extra) {
    if (key === "") return "impersonating the empty string key in extra is not allowed";
    const invalid = invalidKey(key);
    if (invalid.length > 0) return `impersonating an invalid key in extra is not allowed: ${joined(invalid)}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (values.length === 0) return "impersonating empty values in extra is not allowed";
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const path = new RegExp(`^${pathPattern}$`);

/** Of `acme.io/foo`: a domain, and what may stand in a path. */
function invalidKey(key: string): string[] {
  const slash = key.indexOf("/");
  const [domain, rest] = [key.slice(0, slash), key.slice(slash + 1)];
  if (slash <= 0 || rest === "") return [invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const wrong = validateDns1123Subdomain(domain).map((why) => invalid(domain, why));
  return path.test(rest) ? wrong : [...wrong, invalid(rest, regexMessage("Invalid path", pathPattern))];
}

const invalid = (value: string, why: string): string => `extra.key: Invalid value: ${goQuote(value)}: ${why}`;

const joined = (messages: readonly string[]): string => (messages.length === 1 ? messages.join() : `[${messages.join(", ")}]`);
