import { field } from "@coxswain/machinery";
import { ageCell } from "../../age.ts";
import { defineKind } from "../../kind.ts";
import type { Errors } from "../../pod/checks.ts";
import { isExtended } from "../../pod/resources.ts";
import type { DeviceClass } from "../../types/resource-v1.ts";
import { validateOpaque, validateSelectors } from "./device-claim.ts";
import { validateList } from "./lists.ts";

const maxConfigurations = 32;

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const deviceClass = defineKind<DeviceClass>({
  type: "io.k8s.api.resource.v1.DeviceClass",
  deleteReturns: "object",
  validate: ({ spec }) => {
    const out: Errors = [];
    validateSelectors(out, "spec.selectors", spec?.selectors ?? []);
    validateList(out, "spec.config", spec?.config ?? [], maxConfigurations, (errors, at, { opaque }) => {
      validateOpaque(errors, `${at}.opaque`, opaque);
    });
    const extended = spec?.extendedResourceName;
    if (extended !== undefined && !isExtended(extended)) {
      out.push(field.invalid("spec.extendedResourceName", extended, "must be a valid extended resource name"));
    }
    return out;
  },
  cells: ({ metadata }, now) => [metadata?.name ?? "", ageCell(metadata?.creationTimestamp, now)],
});
