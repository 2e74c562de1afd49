import { field, parseQuantity, validateQualifiedName } from "@coxswain/machinery";
import type { PersistentVolumeClaim } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../../../validation/checks.ts";

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

export function validateClaimStatus(out: Errors, { spec, status = {} }: Readonly<PersistentVolumeClaim>): void {
  if ((spec?.accessModes ?? []).length === 0) out.push(field.required("Spec.accessModes"));
  for (const [name, amount] of Object.entries(status.capacity ?? {})) validateAmount(out, `status.capacity[${name}]`, amount);
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    const path = "status.allocatedResourceStatuses";
    validateResourceName(out, path, name);
    if (!resizeStatuses.includes(state)) out.push(field.notSupported(path, name, resizeStatuses));
  }
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    if (validateResourceName(out, "status.allocatedResources", name)) validateAmount(out, `status.allocatedResources[${name}]`, amount);
  }
}

function validateAmount(out: Errors, path: string, amount: string): void {
  const quantity = parseQuantity(amount);
  if (quantity !== undefined && quantity.sign() < 0) out.push(field.invalid(path, quantity.value(), "must be a valid resource quantity"));
}

/** Of Kubernetes' own resources only storage is a claim's. */
function validateResourceName(out: Errors, path: string, name: string): boolean {
  const problems = validateQualifiedName(name);
  addInvalid(out, path, name, problems);
  if (problems.length > 0) return false;
  const foreign = name.includes("/") && !name.includes("kubernetes.io/");
  if (!foreign && name !== "storage") out.push(field.notSupported(path, name, ["storage"]));
  return foreign || name === "storage";
}
