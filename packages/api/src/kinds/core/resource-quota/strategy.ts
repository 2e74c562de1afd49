import { field, parseQuantity } from "@coxswain/machinery";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import type { ResourceQuota } from "../../../types/core-v1.ts";
import type { Errors } from "../../../validation/checks.ts";
import { computeResourceName, isWhole } from "../../../validation/pod-spec/resources.ts";
import { resourceQuotaColumns } from "./columns.ts";
import { isStandardQuotaResource, validateScopes } from "./scopes.ts";

type Amounts = Readonly<Record<string, string>>;

/** @see https://kubernetes.io/docs/concepts/policy/resource-quotas/ */
export const resourceQuota = defineKind<ResourceQuota>({
  type: "io.k8s.api.core.v1.ResourceQuota",
  returnDeletedObject: true,
  generation: "never",
  defaults({ spec, status }) {
    roundAmounts(spec?.hard);
    roundAmounts(status?.hard);
    roundAmounts(status?.used);
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
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
  validateStatusUpdate: ({ metadata, status }) => {
    const out: Errors = [];
    if (!metadata?.resourceVersion) out.push(field.required("resourceVersion"));
    validateAmounts(out, "status.hard", status?.hard ?? {});
    validateAmounts(out, "status.used", status?.used ?? {});
    return out;
  },
  *warnings({ spec }, prev) {
    if (prev === undefined) yield* requestsAboveLimits(spec?.hard ?? {});
  },
  columns: resourceQuotaColumns,
});

function validateAmounts(out: Errors, path: string, amounts: Amounts): void {
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

function* requestsAboveLimits(hard: Amounts): Generator<string> {
  for (const name of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const short = (name === "cpu" || name === "memory") && hard[`requests.${name}`] === undefined;
    const requestName = short ? name : `requests.${name}`;
    const limitName = `limits.${name}`;
    const [request, limit] = [parseQuantity(hard[requestName] ?? ""), parseQuantity(hard[limitName] ?? "")];
    if (request !== undefined && limit !== undefined && request.compare(limit) > 0) {
      yield `ResourceQuota ${requestName} (${request}) should be less than ${limitName} (${limit})`;
    }
  }
}
