/**
 * Objects in another served version of their resource. Most resources have one version; the others' rules are here.
 * Conversions are pure and lossless: what the other version cannot say travels in annotations.
 */
import { apiVersionOf, type KubeObject } from "@coxswain/machinery";
import { autoscalerToV1, autoscalerToV2 } from "./autoscaler.ts";
import { eventFromCore, eventToCore } from "./event.ts";

/** The group and version in whose form an object is; the core group is "". */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/**
 * The object in the form of another version; it must carry its kind. Where no rule is known only the apiVersion
 * changes, which is what a CustomResourceDefinition without a webhook asks for. May return the object itself.
 */
export function convertObject(obj: KubeObject, from: GroupVersion, to: GroupVersion): KubeObject {
  const apiVersion = apiVersionOf(to);
  if (from.group === to.group && from.version === to.version) return obj;
  const rule = rules.get(`${obj.kind} ${apiVersionOf(from)} to ${apiVersion}`);
  const { kind, apiVersion: _, ...rest } = rule === undefined ? obj : rule(obj);
  return { ...(kind === undefined ? {} : { kind }), apiVersion, ...rest };
}

/**
 * A field selector's label as the stored form names it: events.k8s.io renamed fields, and a Pod's node once was its host.
 * Undefined when that version does not know the label.
 */
export function storedFieldLabel({ group, kind }: { readonly group: string; readonly kind: string }, label: string): string | undefined {
  if (group === "events.k8s.io" && kind === "Event") return eventLabels.get(label);
  return label === "spec.host" && group === "" && kind === "Pod" ? "spec.nodeName" : label;
}

const rules: ReadonlyMap<string, (obj: Readonly<KubeObject>) => KubeObject> = new Map([
  ["Event v1 to events.k8s.io/v1", eventFromCore],
  ["Event events.k8s.io/v1 to v1", eventToCore],
  ["HorizontalPodAutoscaler autoscaling/v1 to autoscaling/v2", autoscalerToV2],
  ["HorizontalPodAutoscaler autoscaling/v2 to autoscaling/v1", autoscalerToV1],
]);

const regardingFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

const eventLabels: ReadonlyMap<string, string> = new Map([
  ...["reason", "type", "metadata.name", "metadata.namespace"].map((label): [string, string] => [label, label]),
  ...regardingFields.map((name): [string, string] => [`regarding.${name}`, `involvedObject.${name}`]),
  ["reportingController", "reportingComponent"],
]);
