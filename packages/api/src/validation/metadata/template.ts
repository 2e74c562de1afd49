import { field } from "@coxswain/machinery";
import type { ObjectMeta } from "@coxswain/types/meta-v1";
import type { Errors } from "../checks.ts";
import { validateAnnotations, validateLabels } from "./parts.ts";

/** Kubernetes calls fields by other names here, and goes by this order. */
const forbidden = [
  "Name",
  "GenerateName",
  "Namespace",
  "SelfLink",
  "UID",
  "ResourceVersion",
  "Generation",
  "CreationTimestamp",
  "DeletionTimestamp",
  "DeletionGracePeriodSeconds",
  "OwnerReferences",
  "Finalizers",
  "ManagedFields",
];

/** What a claim that is made for a pod may be given: labels and annotations. */
export function validateTemplateMeta(out: Errors, metadata: Readonly<ObjectMeta>, path: string): void {
  validateAnnotations(out, metadata.annotations ?? {}, `${path}.annotations`);
  validateLabels(out, metadata.labels ?? {}, `${path}.labels`);
  const given = new Set(Object.entries(metadata).flatMap(([name, value]) => (value ? [name.toLowerCase()] : [])));
  for (const name of forbidden) if (given.has(name.toLowerCase())) out.push(field.forbidden(`${path}.${name}`, "cannot be set"));
}
