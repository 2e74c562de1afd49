import type { Event } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { defineColumns } from "../../../table/columns.ts";
import { eventColumns } from "../../../table/event-columns.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateEvent } from "../../../validation/event.ts";

/** @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export const event = defineKind<Event>({
  type: "io.k8s.api.core.v1.Event",
  finalizers: "any",
  name: "pathSegment",
  allowCreateOnUpdate: true,
  garbageCollected: false,
  validate: (obj) => {
    const out: Errors = [];
    validateEvent(out, obj, "reportingComponent");
    return out;
  },
  selectableFields,
  columns: defineColumns(eventColumns),
});

function selectableFields({ involvedObject, reason, reportingComponent, source, type }: Readonly<Event>): Record<string, string> {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = involvedObject ?? {};
  return {
    "involvedObject.kind": kind ?? "",
    "involvedObject.namespace": namespace ?? "",
    "involvedObject.name": name ?? "",
    "involvedObject.uid": uid ?? "",
    "involvedObject.apiVersion": apiVersion ?? "",
    "involvedObject.resourceVersion": resourceVersion ?? "",
    "involvedObject.fieldPath": fieldPath ?? "",
    reason: reason ?? "",
    reportingComponent: reportingComponent ?? "",
    source: source?.component || reportingComponent || "",
    type: type ?? "",
  };
}
