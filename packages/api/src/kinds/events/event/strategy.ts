import type { Event } from "@coxswain/types/events-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { defineColumnsOf } from "../../../table/columns.ts";
import { eventColumns } from "../../../table/event-columns.ts";
import { asCore, newEventValidation } from "./validation.ts";

/**
 * The events.k8s.io form of the core Event, with stricter rules. Errors name fields as the core form does, save for the
 * reporting controller.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export const newEvent = defineKind<Event>({
  type: "io.k8s.api.events.v1.Event",
  allowCreateOnUpdate: true,
  garbageCollected: false,
  ...newEventValidation,
  selectableFields,
  columns: defineColumnsOf(asCore, eventColumns),
});

/** Of the core form's fields, those that this version offers, under its names. */
function selectableFields({ regarding = {}, reason, reportingController, type }: Readonly<Event>): Record<string, string> {
  return {
    "regarding.kind": regarding.kind ?? "",
    "regarding.namespace": regarding.namespace ?? "",
    "regarding.name": regarding.name ?? "",
    "regarding.uid": regarding.uid ?? "",
    "regarding.apiVersion": regarding.apiVersion ?? "",
    "regarding.resourceVersion": regarding.resourceVersion ?? "",
    "regarding.fieldPath": regarding.fieldPath ?? "",
    reason: reason ?? "",
    reportingController: reportingController ?? "",
    type: type ?? "",
  };
}
