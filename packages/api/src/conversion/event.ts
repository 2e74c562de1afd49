/**
 * Events have two groups and one store: events.k8s.io renamed the core fields and deprecated some of them.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
import type { KubeObject } from "@coxswain/machinery";

/** Core name and events.k8s.io name of the same field. The others are called the same. */
const renamed: readonly (readonly [string, string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toEvents: ReadonlyMap<string, string> = new Map(renamed);
const toCore: ReadonlyMap<string, string> = new Map(renamed.map(([core, events]) => [events, core]));

/** What each form shows even when nothing was said; made for each object, because it becomes part of an object. */
const always = {
  core: () => ({
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  }),
  events: () => ({ regarding: {}, deprecatedSource: {}, deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null, eventTime: null }),
};

/** The form of events.k8s.io, which leaves out the empty strings that the core form shows. */
export function eventFromCore(obj: Readonly<KubeObject>): KubeObject {
  const event = rename(obj, toEvents);
  for (const name of ["reportingController", "reportingInstance"]) if (event[name] === "") delete event[name];
  return complete(event, always.events());
}

export const eventToCore = (obj: Readonly<KubeObject>): KubeObject => complete(rename(obj, toCore), always.core());

const rename = (obj: Readonly<KubeObject>, names: ReadonlyMap<string, string>): KubeObject =>
  Object.fromEntries(Object.entries(obj).map(([name, value]) => [names.get(name) ?? name, value]));

function complete(event: KubeObject, defaults: Readonly<Record<string, unknown>>): KubeObject {
  for (const [name, value] of Object.entries(defaults)) event[name] ??= value;
  return event;
}
