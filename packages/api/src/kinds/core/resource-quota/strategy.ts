import { parseQuantity } from "@coxswain/machinery";
import type { ResourceQuota } from "@coxswain/types/core-v1";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { resourceQuotaColumns } from "./columns.ts";
import { resourceQuotaSubresources } from "./subresources.ts";
import { type Amounts, resourceQuotaValidation } from "./validation.ts";

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
  ...resourceQuotaValidation,
  subresources: resourceQuotaSubresources,
  *warnings({ spec }, prev) {
    if (prev === undefined) yield* requestsAboveLimits(spec?.hard ?? {});
  },
  columns: resourceQuotaColumns,
});

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
