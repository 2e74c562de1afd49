import type { Secret } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, immutable } from "../../../validation/checks.ts";
import { keyCount, validateSeal } from "../../../validation/key-value-data.ts";
import { secretColumns } from "./columns.ts";
import { encodeBase64, tlsWarning, validateSecretData } from "./validation.ts";

/** @see https://kubernetes.io/docs/concepts/configuration/secret/ */
export const secret = defineKind<Secret>({
  type: "io.k8s.api.core.v1.Secret",
  metadataPasses: ["changes", "whole"],
  defaults(obj) {
    obj.type ||= "Opaque";
    mergeStringData(obj);
  },
  validate: (obj) => {
    const out: Errors = [];
    validateSecretData(out, obj);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "type", next.type, prev.type);
    validateSeal(out, next, prev);
    return out;
  },
  warnings: (next) => (next.type === "kubernetes.io/tls" ? tlsWarning(next.data ?? {}) : []),
  selectableFields: ({ type = "" }) => ({ type }),
  columns: secretColumns,
});

/** Plain text is for writing only: it overrides `data` and is never read back. */
function mergeStringData(obj: Secret): void {
  const { stringData } = obj;
  if (stringData === undefined) return;
  delete obj.stringData;
  if (keyCount(stringData) === 0) return;
  const data: Record<string, string> = { ...obj.data };
  for (const [key, text] of Object.entries(stringData)) {
    Object.defineProperty(data, key, { value: encodeBase64(text), enumerable: true, configurable: true, writable: true });
  }
  obj.data = data;
}
