import { type KubeObject, stringifyJson } from "@coxswain/machinery";
import type { AuditRecord } from "../contracts/audit.ts";

/** Notes the object that a request sends, before anything changes it. */
export function auditRequestObject(record: AuditRecord | undefined, object: Readonly<KubeObject>): void {
  if (record === undefined) return;
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = object.metadata ?? {};
  record.object ??= { namespace, name, uid, resourceVersion };
  if (record.level === "Metadata") return;
  const { managedFields: _managedFields, ...metadata } = object.metadata ?? {};
  record.requestObject ??= stringifyJson(record.omitManagedFields ? { ...object, metadata } : object);
}

/** Notes the options of a deletion that were sent in its body, in the version that events of Kubernetes show them in. */
export function auditDeleteOptions(record: AuditRecord | undefined, options: object): void {
  if (record === undefined || record.level === "Metadata") return;
  const given = options as Readonly<Record<string, unknown>>;
  const fields = deleteOptions.flatMap((name) => (given[name] == null ? [] : [[name, given[name]] as const]));
  record.requestObject ??= stringifyJson({ kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal", ...Object.fromEntries(fields) });
}

const deleteOptions = ["gracePeriodSeconds", "preconditions", "orphanDependents", "propagationPolicy", "dryRun"];

/** Notes a patch as it was sent; one that is no JSON cannot be part of an event. */
export function auditPatch(record: AuditRecord | undefined, body: Uint8Array): void {
  if (record === undefined || record.level === "Metadata") return;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  try {
    record.requestObject ??= stringifyJson(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}
