import { deepEqual, field } from "@coxswain/machinery";
import type { TopologySelectorTerm } from "@coxswain/types/core-v1";
import type { StorageClass } from "@coxswain/types/storage-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, immutable, oneOf } from "../../../validation/checks.ts";
import { shownLabels } from "../../../validation/label-selector.ts";
import { validateLabelKey } from "../../../validation/metadata/parts.ts";
import { labelDeprecation } from "../../../validation/pod-spec/deprecated-labels.ts";
import { validateDriverReference, validateParameters } from "../../../validation/storage-parameters.ts";
import { storageClassColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/concepts/storage/storage-classes/ */
export const storageClass = defineKind<StorageClass>({
  type: "io.k8s.api.storage.v1.StorageClass",
  metadataPasses: ["whole", "changes"],
  returnDeletedObject: true,
  generation: "never",
  defaults(obj) {
    obj.reclaimPolicy ??= "Delete";
    obj.volumeBindingMode ??= "Immediate";
  },
  validate: (obj) => {
    const out: Errors = [];
    validateDriverReference(out, "provisioner", obj.provisioner);
    validateParameters(out, "parameters", obj.parameters);
    oneOf(out, "reclaimPolicy", obj.reclaimPolicy || undefined, ["Delete", "Retain"]);
    oneOf(out, "volumeBindingMode", obj.volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]);
    validateTopologies(out, "allowedTopologies", obj.allowedTopologies ?? []);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "parameters", shownLabels(next.parameters), shownLabels(prev.parameters));
    for (const name of ["provisioner", "reclaimPolicy", "volumeBindingMode"]) immutable(out, name, next[name], prev[name]);
    return out;
  },
  *warnings({ allowedTopologies = [] }) {
    for (const [i, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
      for (const [j, { key }] of matchLabelExpressions.entries()) {
        const text = labelDeprecation(key);
        if (text !== undefined) yield `allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`;
      }
    }
  },
  columns: storageClassColumns,
});

function validateTopologies(out: Errors, path: string, terms: readonly TopologySelectorTerm[]): void {
  // Kubernetes compares a term with as many empty ones as there are terms, besides those before it.
  const seen: Record<string, readonly string[]>[] = terms.map(() => ({}));
  for (const [i, { matchLabelExpressions = [] }] of terms.entries()) {
    const byKey: Record<string, readonly string[]> = {};
    for (const [j, { key, values: chosen }] of matchLabelExpressions.entries()) {
      const at = `${path}[${i}].matchLabelExpressions[${j}]`;
      const values = chosen ?? [];
      if (values.length === 0) out.push(field.required(`${at}.values`));
      for (const [k, value] of values.entries()) {
        if (values.indexOf(value) < k) out.push(field.duplicate(`${at}.values[${k}]`, value));
      }
      validateLabelKey(out, key, `${at}.key`);
      if (Object.hasOwn(byKey, key)) out.push(field.duplicate(`${at}.key`, key));
      byKey[key] = values.toSorted();
    }
    for (const other of seen) {
      if (deepEqual(other, byKey)) out.push(field.duplicate(`${path}[${i}].matchLabelExpressions`, ""));
    }
    seen.push(byKey);
  }
}
