import { field, validateDns1035Label } from "@coxswain/machinery";
import type { CustomResourceDefinitionNames } from "@coxswain/types/apiextensions-v1";
import type { Errors } from "../../../validation/checks.ts";

/** What a custom resource is called, wanted or accepted; names that are missing are not checked. */
export function validateNames(out: Errors, path: string, names: Readonly<CustomResourceDefinitionNames>): void {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  const check = (at: string, name: string | undefined, mixed = false) => {
    const problems = name ? validateDns1035Label(mixed ? name.toLowerCase() : name) : [];
    const prefix = mixed ? "may have mixed case, but should otherwise match: " : "";
    if (problems.length > 0) out.push(field.invalid(`${path}.${at}`, name, `${prefix}${problems.join(",")}`));
  };
  check("plural", plural);
  check("singular", singular);
  check("kind", kind, true);
  check("listKind", listKind, true);
  for (const [i, name] of shortNames.entries()) check(`shortNames[${i}]`, name);
  if (kind && kind === listKind) out.push(field.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same"));
  for (const [i, name] of categories.entries()) check(`categories[${i}]`, name);
}
