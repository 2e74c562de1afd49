import { field, validateDns1123Subdomain, validateQualifiedName } from "@coxswain/machinery";
import type { Event } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "./checks.ts";
import { utf8Length } from "./utf8-length.ts";

/**
 * The rules of every Event, whichever version it is written in; `reportingField` is what that version calls the reporting
 * controller. An Event with an eventTime is of the new kind, and more of it is checked.
 */
export function validateEvent(out: Errors, obj: Readonly<Event>, reportingField: "reportingComponent" | "reportingController"): void {
  const namespace = obj.metadata.namespace ?? "";
  const involved = obj.involvedObject?.namespace ?? "";
  if (obj.eventTime) validateNewEvent(out, obj, reportingField);
  else if (involved === "" ? namespace !== "" && namespace !== "default" : namespace !== involved) mismatch(out, involved);
  addInvalid(out, "namespace", namespace, validateDns1123Subdomain(namespace));
}

function validateNewEvent(out: Errors, obj: Readonly<Event>, reportingField: string): void {
  const namespace = obj.metadata.namespace ?? "";
  const involved = obj.involvedObject?.namespace ?? "";
  if (involved === "" && namespace !== "default" && namespace !== "kube-system") mismatch(out, involved);
  const reporting = obj.reportingComponent ?? "";
  if (reporting === "") out.push(field.required(reportingField));
  addInvalid(out, reportingField, reporting, validateQualifiedName(reporting));
  validateText(out, "reportingInstance", obj.reportingInstance, 128);
  validateText(out, "action", obj.action, 128);
  validateText(out, "reason", obj.reason, 128);
  if (utf8Length(obj.message ?? "") > 1024) out.push(field.invalid("message", "", "can have at most 1024 characters"));
}

const mismatch = (out: Errors, involved: string): void => {
  out.push(field.invalid("involvedObject.namespace", involved, "does not match event.namespace"));
};

function validateText(out: Errors, path: string, text: string | undefined, maxBytes: number): void {
  if (!text) out.push(field.required(path));
  else if (utf8Length(text) > maxBytes) out.push(field.invalid(path, "", `can have at most ${maxBytes} characters`));
}
