import { field, validateQualifiedName } from "@coxswain/machinery";
import type { Namespace } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { namespaceColumns } from "./columns.ts";
import { namespaceSubresources } from "./subresources.ts";

const nameLabel = "kubernetes.io/metadata.name";
/** Removed through /finalize when the namespace is empty; until then the object stays. */
const contentFinalizer = "kubernetes";
const standardFinalizers = [contentFinalizer, "orphan", "foregroundDeletion"];

/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/ */
export const namespace = defineKind<Namespace>({
  type: "io.k8s.api.core.v1.Namespace",
  metadataPasses: ["whole", "changes"],
  name: "dns1123Label",
  returnDeletedObject: true,
  generation: "never",
  mayBeRemoved: (obj) => (obj.spec?.finalizers ?? []).length === 0,
  markDeleting(obj) {
    obj.status = { ...obj.status, phase: "Terminating" };
    // A Namespace waits for its content, not for a time.
    delete obj.metadata?.deletionGracePeriodSeconds;
  },
  defaults(obj) {
    labelWithName(obj);
    obj.status ??= {};
    obj.status.phase ||= "Active";
  },
  prepareForCreate(obj) {
    labelWithName(obj);
    obj.status = { phase: "Active" };
    const finalizers = obj.spec?.finalizers ?? [];
    if (!finalizers.includes(contentFinalizer)) obj.spec = { ...obj.spec, finalizers: [...finalizers, contentFinalizer] };
  },
  prepareForUpdate(next, prev) {
    const { finalizers: _, ...spec } = next.spec ?? {};
    next.spec = prev.spec?.finalizers === undefined ? spec : { ...spec, finalizers: [...prev.spec.finalizers] };
  },
  validate: (obj) => {
    const out: Errors = [];
    for (const finalizer of obj.spec?.finalizers ?? []) validateFinalizer(out, "spec.finalizers", finalizer);
    return out;
  },
  subresources: namespaceSubresources,
  selectableFields: (obj) => ({ "status.phase": obj.status?.phase ?? "" }),
  columns: namespaceColumns,
});

/** The rules for a write to /finalize. */
export function validateNamespaceFinalize(next: Readonly<Namespace>): Errors {
  const out: Errors = [];
  for (const [i, finalizer] of (next.spec?.finalizers ?? []).entries()) validateFinalizer(out, `spec.finalizers[${i}]`, finalizer);
  return out;
}

/** A nameless object gets its name, and with it the label, later. */
function labelWithName(obj: Namespace): void {
  const name = obj.metadata?.name;
  if (!obj.metadata || !name || obj.metadata.labels?.[nameLabel] === name) return;
  obj.metadata.labels = { ...obj.metadata.labels, [nameLabel]: name };
}

function validateFinalizer(out: Errors, path: string, finalizer: string): void {
  addInvalid(out, path, finalizer, validateQualifiedName(finalizer));
  if (finalizer.includes("/") || standardFinalizers.includes(finalizer)) return;
  out.push(field.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
}
