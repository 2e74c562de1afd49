import { deepEqual, field } from "@coxswain/machinery";
import type { CSIDriver, TokenRequest } from "@coxswain/types/storage-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, immutable, oneOf } from "../../../validation/checks.ts";
import { csiDriverColumns } from "./columns.ts";

const minTokenSeconds = 600;
const tokenInAttributes =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

/** @see https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/csi-driver-v1/ */
export const csiDriver = defineKind<CSIDriver>({
  type: "io.k8s.api.storage.v1.CSIDriver",
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  generation: "never",
  defaults(obj) {
    obj.spec ??= {};
    obj.spec.attachRequired ??= true;
    obj.spec.podInfoOnMount ??= false;
    obj.spec.storageCapacity ??= false;
    obj.spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if (!obj.spec.volumeLifecycleModes?.length) obj.spec.volumeLifecycleModes = ["Persistent"];
    obj.spec.requiresRepublish ??= false;
    obj.spec.seLinuxMount ??= false;
  },
  /** Waiting for drivers is a feature that Kubernetes 1.36 leaves off: who had it keeps it. */
  prepareForCreate({ spec }) {
    delete spec?.preventPodSchedulingIfMissing;
  },
  /** A driver starts without a generation and counts its changes all the same. */
  prepareForUpdate(next, prev) {
    if (prev.spec?.preventPodSchedulingIfMissing === undefined) delete next.spec?.preventPodSchedulingIfMissing;
    if (!deepEqual(next.spec, prev.spec)) next.metadata = { ...next.metadata, generation: (prev.metadata?.generation ?? 0) + 1 };
  },
  validate: ({ spec }) => {
    const out: Errors = [];
    oneOf(out, "spec.fsGroupPolicy", spec?.fsGroupPolicy, ["File", "None", "ReadWriteOnceWithFSType"]);
    validateTokenRequests(out, "spec.tokenRequests", spec?.tokenRequests ?? []);
    for (const mode of spec?.volumeLifecycleModes ?? []) oneOf(out, "spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]);
    const period = spec?.nodeAllocatableUpdatePeriodSeconds;
    if (period !== undefined && period < 10) {
      out.push(field.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds"));
    }
    const inSecrets = spec?.serviceAccountTokenInSecrets;
    if (inSecrets !== undefined && !spec?.tokenRequests?.length) {
      const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
      out.push(field.invalid("spec.serviceAccountTokenInSecrets", inSecrets, why));
    }
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "spec.attachedRequired", next.spec?.attachRequired, prev.spec?.attachRequired);
    immutable(out, "spec.volumeLifecycleModes", next.spec?.volumeLifecycleModes, prev.spec?.volumeLifecycleModes);
    return out;
  },
  warnings: (next, prev) => {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = next.spec ?? {};
    const isNew = prev === undefined || !deepEqual(tokenRequests, prev.spec?.tokenRequests ?? []);
    return tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined && isNew ? [tokenInAttributes] : [];
  },
  columns: csiDriverColumns,
});

function validateTokenRequests(out: Errors, path: string, requests: readonly TokenRequest[]): void {
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      out.push(field.duplicate(`${path}[${i}].audience`, audience));
      continue;
    }
    audiences.add(audience);
    if (seconds === undefined) continue;
    const at = `${path}[${i}].expirationSeconds`;
    if (seconds < minTokenSeconds) out.push(field.invalid(at, seconds, "may not specify a duration less than 10 minutes"));
    if (seconds > 2 ** 32) out.push(field.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
}
