import { field, validateQualifiedName } from "@coxswain/machinery";
import type { CSINode, CSINodeDriver } from "@coxswain/types/storage-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutableAs, nonNegative, requiredText } from "../../../validation/checks.ts";
import { validateCsiDriverName } from "../../../validation/storage-parameters.ts";
import { csiNodeColumns } from "./columns.ts";

const immutableCSINodeDriver = immutableAs("CSINodeDriver");

const maxNodeIdLength = 256;

/** The CSI drivers of one Node, kept by its kubelet. */
export const csiNode = defineKind<CSINode>({
  type: "io.k8s.api.storage.v1.CSINode",
  metadataPasses: ["whole"],
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  generation: "never",
  validate: ({ spec }) => {
    const out: Errors = [];
    const names = new Set<string>();
    for (const [i, driver] of (spec?.drivers ?? []).entries()) validateDriver(out, `spec.drivers[${i}]`, driver, names);
    return out;
  },
  /** A driver's entry is replaced by removing it first; only how many volumes it takes may change. */
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    for (const { allocatable: _, ...old } of prev.spec?.drivers ?? []) {
      for (const { allocatable: _, ...driver } of next.spec?.drivers ?? []) {
        if (driver.name === old.name) immutableCSINodeDriver(out, "spec.drivers", driver, old);
      }
    }
    return out;
  },
  columns: csiNodeColumns,
});

function validateDriver(out: Errors, path: string, driver: Readonly<CSINodeDriver>, names: Set<string>): void {
  const { name, nodeID, topologyKeys } = driver;
  validateCsiDriverName(out, `${path}.name`, name);
  requiredText(out, `${path}.nodeID`, nodeID);
  if (nodeID && nodeID.length > maxNodeIdLength) {
    out.push(field.invalid(`${path}.nodeID`, nodeID, `must be ${maxNodeIdLength} characters or less`));
  }
  nonNegative(out, `${path}.allocatable.count`, driver.allocatable?.count);
  if (names.has(name)) out.push(field.duplicate(`${path}.name`, name));
  names.add(name);
  for (const [i, key] of (topologyKeys ?? []).entries()) {
    requiredText(out, path, key);
    if (topologyKeys !== undefined && topologyKeys.indexOf(key) < i) out.push(field.duplicate(path, key));
    addInvalid(out, path, key, validateQualifiedName(key));
  }
}
