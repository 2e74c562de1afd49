import { deepEqual, field } from "@coxswain/machinery";
import type { ResourceClaim, ResourceClaimConsumerReference } from "@coxswain/types/resource-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { type Errors, immutableAs, requiredText } from "../../../validation/checks.ts";
import { validateSet } from "../../../validation/resource/lists.ts";
import { deviceKey } from "./allocated-device.ts";
import { validateAllocation, validateDeviceStatuses } from "./allocation.ts";

const immutableAllocationResult = immutableAs("AllocationResult");

export const resourceClaimSubresources: Subresources<ResourceClaim> = {
  status: {
    resetFields: [["metadata"]],
    /** Reports on devices go with the allocation. */
    prepareForUpdate({ status }, prev) {
      if (status === undefined) return;
      const gone = new Set(prev.status?.allocation?.devices?.results?.map(deviceKey));
      for (const result of status.allocation?.devices?.results ?? []) gone.delete(deviceKey(result));
      const left = (status.devices ?? []).filter((device) => !gone.has(deviceKey(device)));
      if (left.length > 0) status.devices = left;
      else delete status.devices;
    },
    validateUpdate: (next, prev) => {
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
      if (before !== undefined) immutableAllocationResult(out, "status.allocation", allocation, before);
      else validateAllocation(out, "status.allocation", allocation, next.spec?.devices?.requests ?? []);
      return out;
    },
  },
};

const maxConsumers = 256;

const reserves = ({ status }: Readonly<ResourceClaim>, consumer: ResourceClaimConsumerReference): boolean =>
  status?.reservedFor?.some((known) => deepEqual(known, consumer)) ?? false;

function validateConsumers(out: Errors, path: string, consumers: readonly ResourceClaimConsumerReference[]): void {
  const check = (errors: Errors, at: string, { resource, name, uid }: ResourceClaimConsumerReference) => {
    requiredText(errors, `${at}.resource`, resource);
    requiredText(errors, `${at}.name`, name);
    requiredText(errors, `${at}.uid`, uid);
  };
  validateSet(out, path, consumers, { max: maxConsumers, validate: check, keyOf: ({ uid }) => uid });
}
