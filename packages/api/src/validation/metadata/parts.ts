/** The parts of metadata, each with its rules. Errors are appended: the checks run on every write and mostly find nothing. */
import {
  type FieldError,
  field,
  goQuote,
  type ManagedFieldsEntry,
  type OwnerReference,
  parseApiVersion,
  validateLabelValue,
  validateQualifiedName,
} from "@coxswain/machinery";
import { utf8Length } from "../utf8-length.ts";

const maxAnnotationBytes = 256 * 1024;
/** Each error shows the whole list, so a long list of controllers must not be named one by one. */
const maxControllersNamed = 16;
const maxManagerBytes = 128;
const maxSubresourceBytes = 256;

/** Keys and values that are surely fine; everything else takes the slow path, which knows the messages. */
const plainKey = /^(?:[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const plainValue = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const isPlainKey = (key: string): boolean => plainKey.test(key) && !key.includes("..") && !key.includes(".-") && !key.includes("-.");

export function validateLabelKey(errors: FieldError[], key: string, path: string): void {
  if (isPlainKey(key)) return;
  for (const problem of validateQualifiedName(key)) errors.push(field.invalid(path, key, problem));
}

/** Appends what is wrong with the keys and values of labels, under `path`. */
export function validateLabels(errors: FieldError[], labels: Readonly<Record<string, string>>, path: string): void {
  for (const key of Object.keys(labels)) {
    validateLabelKey(errors, key, path);
    const value = labels[key] ?? "";
    if (plainValue.test(value)) continue;
    for (const problem of validateLabelValue(value)) errors.push(field.invalid(path, value, problem));
  }
}

/** Appends what is wrong with the keys of annotations, and with their size, under `path`. */
export function validateAnnotations(errors: FieldError[], annotations: Readonly<Record<string, string>>, path: string): void {
  for (const key of Object.keys(annotations)) {
    if (!isPlainKey(key)) for (const problem of validateQualifiedName(key.toLowerCase())) errors.push(field.invalid(path, key, problem));
  }
  validateAnnotationsSize(errors, annotations, path);
}

export function validateAnnotationsSize(errors: FieldError[], annotations: Readonly<Record<string, string>>, path: string): void {
  let codeUnits = 0;
  for (const key of Object.keys(annotations)) codeUnits += key.length + (annotations[key]?.length ?? 0);
  // A code unit takes three bytes at most, so only large sets need to be counted.
  if (codeUnits * 3 > maxAnnotationBytes && bytesOf(annotations) > maxAnnotationBytes) errors.push(field.tooLong(path, maxAnnotationBytes));
}

export function validateOwnerReferences(errors: FieldError[], references: readonly OwnerReference[]): void {
  const path = "metadata.ownerReferences";
  let controller: string | undefined;
  let surplus = 0;
  for (const reference of references) {
    validateOwnerReference(errors, reference, path);
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === undefined) controller = name;
    else if (surplus++ < maxControllersNamed) {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(field.invalid(path, references.map(inOrder), why));
    }
  }
}

function validateOwnerReference(errors: FieldError[], reference: OwnerReference, path: string): void {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  const version = parseApiVersion(apiVersion)?.version ?? "";
  if (version === "") errors.push(field.invalid(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  if (kind === "") errors.push(field.invalid(`${path}.kind`, kind, "must not be empty"));
  if (name === "") errors.push(field.invalid(`${path}.name`, name, "must not be empty"));
  if (uid === "") errors.push(field.invalid(`${path}.uid`, uid, "must not be empty"));
  if (apiVersion === "v1" && kind === "Event") {
    errors.push(field.invalid(path, inOrder(reference), "/v1, Kind=Event is disallowed from being an owner"));
  }
}

/** The order in which Kubernetes shows the fields. */
const inOrder = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
});

export function validateFinalizers(errors: FieldError[], finalizers: readonly string[]): void {
  const path = "metadata.finalizers";
  for (const finalizer of finalizers) validateLabelKey(errors, finalizer, path);
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(field.invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Kubernetes' own kinds take finalizers only from those who say by a domain who they are. */
export function validateFinalizerDomains(errors: FieldError[], finalizers: readonly string[]): void {
  for (const [i, finalizer] of finalizers.entries()) {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    errors.push(
      field.invalid(`metadata.finalizers[${i}]`, finalizer, "name is neither a standard finalizer name nor is it fully qualified"),
    );
  }
}

export function newFinalizersProblem(next: readonly string[], prev: readonly string[]): string | undefined {
  const known = new Set(prev);
  const added = [...new Set(next)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return undefined;
  const shown = `[]string{${added.map(goQuote).join(", ")}}`;
  return `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
}

export function validateManagedFields(errors: FieldError[], entries: readonly ManagedFieldsEntry[]): void {
  for (const [i, { operation = "", fieldsType = "", manager = "", subresource = "" }] of entries.entries()) {
    const path = `metadata.managedFields[${i}]`;
    if (operation !== "Apply" && operation !== "Update")
      errors.push(field.invalid(`${path}.operation`, operation, "must be `Apply` or `Update`"));
    if (fieldsType !== "" && fieldsType !== "FieldsV1") errors.push(field.invalid(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    if (utf8Length(manager) > maxManagerBytes) errors.push(field.tooLong(`${path}.manager`, maxManagerBytes));
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(manager))
      errors.push(field.invalid(`${path}.manager`, manager, "should only contain printable characters"));
    if (utf8Length(subresource) > maxSubresourceBytes) errors.push(field.tooLong(`${path}.subresource`, maxSubresourceBytes));
  }
}

function bytesOf(texts: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(texts)) bytes += utf8Length(key) + utf8Length(value);
  return bytes;
}
