import { field } from "@coxswain/machinery";
import type { ConfigMap } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { isTooLarge, maxDataBytes, validateKeys, validateSeal } from "../../../validation/key-value-data.ts";
import { configMapColumns } from "./columns.ts";

export const configMap = defineKind<ConfigMap>({
  type: "io.k8s.api.core.v1.ConfigMap",
  metadataPasses: ["changes", "whole"],
  validate,
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    validateSeal(out, next, prev);
    return out;
  },
  columns: configMapColumns,
});

function validate({ data, binaryData }: Readonly<ConfigMap>): Errors {
  const out: Errors = [];
  validateKeys(out, "data", data);
  if (binaryData !== undefined) {
    for (const key in data) {
      if (Object.hasOwn(binaryData, key)) out.push(field.invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    validateKeys(out, "binaryData", binaryData);
  }
  // The object as a whole is too large; this is how Kubernetes writes its path.
  if (isTooLarge(data, binaryData)) out.push(field.tooLong("[]", maxDataBytes));
  return out;
}
