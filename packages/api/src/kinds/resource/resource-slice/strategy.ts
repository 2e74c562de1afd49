import { goQuote } from "@coxswain/machinery";
import type { ResourceSlice, ResourceSliceSpec } from "@coxswain/types/resource-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { resourceSliceColumns } from "./columns.ts";
import { dropLists, hasLists } from "./device-attribute.ts";
import { resourceSliceValidation } from "./validation.ts";

/**
 * Devices that a driver offers.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
export const resourceSlice = defineKind<ResourceSlice>({
  type: "io.k8s.api.resource.v1.ResourceSlice",
  returnDeletedObject: true,
  prepareForCreate({ spec, metadata }) {
    dropDisabledFields(spec, undefined);
    noteTaintTimes(spec, metadata?.creationTimestamp);
  },
  prepareForUpdate(next, prev, now) {
    dropDisabledFields(next.spec, prev.spec);
    noteTaintTimes(next.spec, now);
  },
  ...resourceSliceValidation,
  warnings: ({ spec }) => {
    const driver = spec?.driver ?? "";
    if (driver === driver.toLowerCase()) return [];
    return [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`];
  },
  selectableFields: ({ spec }) => ({ "spec.nodeName": spec?.nodeName ?? "", "spec.driver": spec?.driver ?? "" }),
  columns: resourceSliceColumns,
});

/** Fields of features that Kubernetes 1.36 leaves off: dropped, unless they were there before. In place. */
function dropDisabledFields(spec: ResourceSliceSpec | undefined, prev: Readonly<ResourceSliceSpec> | undefined): void {
  const [devices, before] = [spec?.devices ?? [], prev?.devices ?? []];
  if (!before.some((device) => Object.keys(device.nodeAllocatableResourceMappings ?? {}).length > 0)) {
    for (const device of devices) delete device.nodeAllocatableResourceMappings;
  }
  if (before.some(({ attributes = {} }) => Object.values(attributes).some(hasLists))) return;
  for (const { attributes = {} } of devices) for (const attribute of Object.values(attributes)) dropLists(attribute);
}

function noteTaintTimes(spec: ResourceSliceSpec | undefined, now: string | undefined): void {
  if (now === undefined) return;
  for (const taint of (spec?.devices ?? []).flatMap(({ taints = [] }) => taints)) taint.timeAdded ??= now;
}
