import { field } from "@coxswain/machinery";
import type { DeviceClass } from "@coxswain/types/resource-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndAge } from "../../../table/columns.ts";
import type { Errors } from "../../../validation/checks.ts";
import { isExtended } from "../../../validation/pod-spec/resources.ts";
import { validateOpaque, validateSelectors } from "../../../validation/resource/device-claim.ts";
import { validateList } from "../../../validation/resource/lists.ts";

const maxConfigurations = 32;

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const deviceClass = defineKind<DeviceClass>({
  type: "io.k8s.api.resource.v1.DeviceClass",
  metadataPasses: ["whole", "changes"],
  returnDeletedObject: true,
  validate: ({ spec }) => {
    const out: Errors = [];
    validateSelectors(out, "spec.selectors", spec?.selectors ?? []);
    validateList(out, "spec.config", spec?.config ?? [], {
      max: maxConfigurations,
      validate: (errors, at, { opaque }) => {
        validateOpaque(errors, `${at}.opaque`, opaque);
      },
    });
    const extended = spec?.extendedResourceName;
    if (extended !== undefined && !isExtended(extended)) {
      out.push(field.invalid("spec.extendedResourceName", extended, "must be a valid extended resource name"));
    }
    return out;
  },
  columns: nameAndAge,
});
