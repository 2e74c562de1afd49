import type { Event } from "@coxswain/types/core-v1";
import { ageCell } from "./age.ts";
import { type Column, nameColumn } from "./columns.ts";

/** Those of Events in their core form, in which events.k8s.io shows its own too. */
export const eventColumns: readonly Column<Event>[] = [
  { name: "Last Seen", type: "string", description: "How long ago it last happened.", value: lastSeen },
  { name: "Type", type: "string", description: "Normal or Warning.", value: ({ type }) => type ?? "" },
  { name: "Reason", type: "string", description: "A short word for machines that says why.", value: ({ reason }) => reason ?? "" },
  { name: "Object", type: "string", description: "What the event is about.", value: objectCell },
  {
    name: "Subobject",
    type: "string",
    priority: 1,
    description: "The part of the object it is about.",
    value: ({ involvedObject }) => involvedObject?.fieldPath ?? "",
  },
  { name: "Source", type: "string", priority: 1, description: "The component and host that reported it.", value: sourceCell },
  { name: "Message", type: "string", description: "Details for people.", value: ({ message }) => (message ?? "").trim() },
  { name: "First Seen", type: "string", priority: 1, description: "How long ago it first happened.", value: firstSeen },
  {
    name: "Count",
    type: "string",
    priority: 1,
    description: "How often it happened.",
    value: ({ series, count }) => (series ? (series.count ?? 0) : count || 1),
  },
  { ...nameColumn, priority: 1 },
];

function firstSeen({ firstTimestamp, eventTime }: Readonly<Event>, now: number): string {
  return ageCell(firstTimestamp || eventTime, now);
}

function lastSeen(obj: Readonly<Event>, now: number): string {
  if (obj.series) return ageCell(obj.series.lastObservedTime, now);
  return obj.lastTimestamp ? ageCell(obj.lastTimestamp, now) : firstSeen(obj, now);
}

function objectCell({ involvedObject }: Readonly<Event>): string {
  const kind = (involvedObject?.kind ?? "").toLowerCase();
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
}

function sourceCell({ source, reportingComponent, reportingInstance }: Readonly<Event>): string {
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance || "";
  return instance === "" ? component : `${component}, ${instance}`;
}
