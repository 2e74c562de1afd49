import { deepEqual, field } from "@coxswain/machinery";
import type { Event as CoreEvent } from "@coxswain/types/core-v1";
import type { Event } from "@coxswain/types/events-v1";
import { eventToCore } from "../../../conversion/event.ts";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, immutable } from "../../../validation/checks.ts";
import { validateEvent } from "../../../validation/event.ts";

export const newEventValidation: Validation<Event> = {
  validate: (obj) => {
    const out: Errors = [];
    validateEvent(out, asCore(obj), "reportingController");
    return out;
  },
  validateCreate: (obj) => {
    const out: Errors = [];
    validateSeries(out, obj);
    if (!obj.eventTime) out.push(field.required("eventTime"));
    if (obj.type !== "Normal" && obj.type !== "Warning") out.push(field.invalid("type", "", `has invalid value: ${obj.type ?? ""}`));
    const { component, host } = obj.deprecatedSource ?? {};
    const deprecated = {
      firstTimestamp: obj.deprecatedFirstTimestamp,
      lastTimestamp: obj.deprecatedLastTimestamp,
      count: obj.deprecatedCount,
      source: component || host,
    };
    for (const [name, value] of Object.entries(deprecated)) if (value) out.push(field.invalid(name, "", "needs to be unset"));
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    if (!deepEqual(next.series, prev.series)) validateSeries(out, next);
    const [after, before] = [asCore(next), asCore(prev)];
    for (const name of unchangeable) {
      if (!deepEqual(after[name], before[name])) out.push(field.invalid(name, shown(name, after[name]), "field is immutable"));
    }
    immutable(out, "reportingController", next.reportingController, prev.reportingController);
    return out;
  },
};

/** Kubernetes shows all fields of its internal types, by their names in Go; what is not a pointer is never null. */
function shown(name: string, value: unknown): unknown {
  if (value === undefined) return name === "count" ? 0 : nullable.has(name) ? undefined : shown(name, fieldsShown[name] ? {} : "");
  const fields = fieldsShown[name];
  if (fields === undefined) return value;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(fields).map(([from, to]) => [to, given[from] ?? ""]));
}

const nullable: ReadonlySet<string> = new Set(["firstTimestamp", "lastTimestamp", "eventTime", "related"]);

const reference = {
  kind: "Kind",
  namespace: "Namespace",
  name: "Name",
  uid: "UID",
  apiVersion: "APIVersion",
  resourceVersion: "ResourceVersion",
  fieldPath: "FieldPath",
};

const fieldsShown: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  __proto__: null as never,
  involvedObject: reference,
  related: reference,
  source: { component: "Component", host: "Host" },
};

const unchangeable = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingInstance",
];

export function asCore(obj: Readonly<Event>): CoreEvent {
  return eventToCore(obj) as CoreEvent;
}

function validateSeries(out: Errors, { series }: Readonly<Event>): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) out.push(field.invalid("series.count", "", "should be at least 2"));
  if (!series.lastObservedTime) out.push(field.required("series.lastObservedTime"));
}
