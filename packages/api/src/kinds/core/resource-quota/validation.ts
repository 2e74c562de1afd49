import { field, parseQuantity } from "@coxswain/machinery";
import type { ResourceQuota } from "@coxswain/types/core-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { computeResourceName, isWhole } from "../../../validation/pod-spec/resources.ts";
import { isStandardQuotaResource, validateScopes } from "./scopes.ts";

export const resourceQuotaValidation: Validation<ResourceQuota> = {
  validate: ({ spec = {} }) => {
    const out: Errors = [];
    validateAmounts(out, "spec.hard", spec.hard ?? {});
    validateScopes(out, "spec", spec);
    return out;
  },
  validateUpdate: ({ spec: next }, { spec: prev }) => {
    const [after, before] = [new Set(next?.scopes), new Set(prev?.scopes)];
    const same = after.size === before.size && after.isSubsetOf(before);
    return same ? [] : [field.invalid("spec.scopes", next?.scopes ?? null, "field is immutable")];
  },
};

export type Amounts = Readonly<Record<string, string>>;

export function validateAmounts(out: Errors, path: string, amounts: Amounts): void {
  for (const [name, text] of Object.entries(amounts)) {
    const at = `${path}[${name}]`;
    computeResourceName(out, at, name);
    if (!name.includes("/") && !isStandardQuotaResource(name)) {
      out.push(field.invalid(at, name, "must be a standard resource for quota"));
    }
    const amount = parseQuantity(text);
    if (amount === undefined) continue;
    if (amount.sign() < 0) out.push(field.invalid(at, text, "must be greater than or equal to 0"));
    if (isWhole(name) && amount.milli() % 1000n !== 0n) out.push(field.invalid(at, text, "must be an integer"));
  }
}
