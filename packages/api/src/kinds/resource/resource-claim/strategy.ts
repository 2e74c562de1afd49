import { deepEqual, field } from "@coxswain/machinery";
import { defineKind } from "../../../strategy/strategy.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "../../../types/resource-v1.ts";
import { type Errors, immutable, requiredText } from "../../../validation/checks.ts";
import { defaultDeviceClaim, validateDeviceClaim } from "../../../validation/resource/device-claim.ts";
import { validateSet } from "../../../validation/resource/lists.ts";
import { deviceKey } from "./allocated-device.ts";
import { validateAllocation, validateDeviceStatuses } from "./allocation.ts";
import { resourceClaimColumns } from "./columns.ts";

const maxConsumers = 256;

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const resourceClaim = defineKind<ResourceClaim>({
  type: "io.k8s.api.resource.v1.ResourceClaim",
  resetFields: { status: [["metadata"]] },
  returnDeletedObject: true,
  generation: "never",
  defaults({ spec, status }) {
    defaultDeviceClaim(spec?.devices ?? {});
    for (const { tolerations = [] } of status?.allocation?.devices?.results ?? []) {
      for (const toleration of tolerations) toleration.operator ||= "Equal";
    }
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  /** Reports on devices go with the allocation. */
  prepareForStatusUpdate({ status }, prev) {
    if (status === undefined) return;
    const gone = new Set(prev.status?.allocation?.devices?.results?.map(deviceKey));
    for (const result of status.allocation?.devices?.results ?? []) gone.delete(deviceKey(result));
    const left = (status.devices ?? []).filter((device) => !gone.has(deviceKey(device)));
    if (left.length > 0) status.devices = left;
    else delete status.devices;
  },
  validateCreate: ({ spec }) => {
    const out: Errors = [];
    validateDeviceClaim(out, "spec.devices", spec?.devices ?? {});
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "spec", next.spec, prev.spec, "ResourceClaimSpec");
    return out;
  },
  validateStatusUpdate: (next, prev) => {
    const out: Errors = [];
    const { allocation, reservedFor = [], devices = [] } = next.status ?? {};
    validateConsumers(out, "status.reservedFor", reservedFor);
    validateDeviceStatuses(out, "status.devices", devices, allocation);
    if (reservedFor.length > 0 && allocation === undefined) {
      out.push(field.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
    } else if (next.metadata?.deletionTimestamp && reservedFor.some((consumer) => !reserves(prev, consumer))) {
      const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
      out.push(field.forbidden("status.reservedFor", why));
    }
    const before = prev.status?.allocation;
    if (allocation === undefined) return out;
    if (before !== undefined) immutable(out, "status.allocation", allocation, before, "AllocationResult");
    else validateAllocation(out, "status.allocation", allocation, next.spec?.devices?.requests ?? []);
    return out;
  },
  columns: resourceClaimColumns,
});

const reserves = ({ status }: Readonly<ResourceClaim>, consumer: ResourceClaimConsumerReference): boolean =>
  status?.reservedFor?.some((known) => deepEqual(known, consumer)) ?? false;

function validateConsumers(out: Errors, path: string, consumers: readonly ResourceClaimConsumerReference[]): void {
  const check = (errors: Errors, at: string, { resource, name, uid }: ResourceClaimConsumerReference) => {
    requiredText(errors, `${at}.resource`, resource);
    requiredText(errors, `${at}.name`, name);
    requiredText(errors, `${at}.uid`, uid);
  };
  validateSet(out, path, consumers, maxConsumers, check, ({ uid }) => uid);
}
