import { field, parseQuantity, validateDns1123Subdomain } from "@coxswain/machinery";
import type { CSIStorageCapacity } from "@coxswain/types/storage-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndCreationTime } from "../../../table/columns.ts";
import { addInvalid, type Errors, immutable } from "../../../validation/checks.ts";
import { validateLabelSelector } from "../../../validation/label-selector.ts";
import { expressionWarnings, labelDeprecation } from "../../../validation/pod-spec/deprecated-labels.ts";

/** @see https://kubernetes.io/docs/concepts/storage/storage-capacity/ */
export const csiStorageCapacity = defineKind<CSIStorageCapacity>({
  type: "io.k8s.api.storage.v1.CSIStorageCapacity",
  metadataPasses: ["whole", "changes"],
  allowUnconditionalUpdate: false,
  generation: "never",
  validate: ({ nodeTopology, storageClassName, capacity }) => {
    const out: Errors = [];
    validateLabelSelector(out, "nodeTopology", nodeTopology, "selector values");
    addInvalid(out, "storageClassName", storageClassName ?? "", validateDns1123Subdomain(storageClassName ?? ""));
    if (capacity !== undefined && parseQuantity(capacity)?.sign() === -1) {
      out.push(field.invalid("capacity", capacity, "must be greater than or equal to 0"));
    }
    return out;
  },
  *warnings({ nodeTopology }) {
    yield* expressionWarnings("nodeTopology", nodeTopology?.matchExpressions);
    for (const key of Object.keys(nodeTopology?.matchLabels ?? {})) {
      const text = labelDeprecation(key);
      if (text !== undefined) yield `nodeTopology.matchLabels.${key}: ${text}`;
    }
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "nodeTopology", next.nodeTopology, prev.nodeTopology);
    immutable(out, "storageClassName", next.storageClassName, prev.storageClassName);
    return out;
  },
  columns: nameAndCreationTime,
});
