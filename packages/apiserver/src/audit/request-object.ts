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
