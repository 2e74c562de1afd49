/** How a kind's names are checked, whole or as the beginning of a generated name. */
import {
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePathSegmentPrefix,
} from "@coxswain/machinery";
import type { NameRule } from "../../strategy/strategy.ts";

const checks: Readonly<Record<NameRule, (name: string) => readonly string[]>> = {
  dns1123Subdomain: validateDns1123Subdomain,
  dns1123Label: validateDns1123Label,
  dns1035Label: validateDns1035Label,
  pathSegment: validatePathSegmentName,
};

const nothing: readonly string[] = [];
/** Most names: a label of a usual length satisfies every rule that begins names with letters. */
const plainLabel = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export const validateName = (rule: NameRule, name: string): readonly string[] => (plainLabel.test(name) ? nothing : checks[rule](name));

/** A dash at the end is fine: more will follow it. */
export function validateNamePrefix(rule: NameRule, prefix: string): readonly string[] {
  if (rule === "pathSegment") return validatePathSegmentPrefix(prefix);
  return checks[rule](prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix);
}
