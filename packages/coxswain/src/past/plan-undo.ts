/** How an object is brought back to what it was. */
import type { KubeObject } from "@coxswain/client";
import { deepEqual, type ObjectHistoryReport } from "@coxswain/machinery";

/** One step of a JSON Patch. @see https://www.rfc-editor.org/rfc/rfc6902 */
export interface PatchStep {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

/** `object` is what it is to be. */
export type UndoPlan =
  | { readonly kind: "nothing" }
  | { readonly kind: "create"; readonly object: KubeObject }
  | { readonly kind: "patch"; readonly object: KubeObject; readonly patch: readonly PatchStep[] };

/** Annotations that controllers write for themselves, and would write again. */
const ofControllers = /^(?:deployment\.kubernetes\.io|pv\.kubernetes\.io|control-plane\.alpha\.kubernetes\.io)\//;

/**
 * What its users write of it: all but the status and, of its metadata, labels and annotations alone. A patch names the version that was
 * read, so that it conflicts with whatever was written since.
 */
export function planUndo(current: KubeObject | undefined, then: KubeObject): UndoPlan {
  if (current === undefined) return { kind: "create", object: recreated(then) };
  const steps: PatchStep[] = [];
  const object: Record<string, unknown> = { ...current };
  for (const field of new Set([...Object.keys(current), ...Object.keys(then)])) {
    if (ofServer.has(field) || deepEqual(current[field], then[field])) continue;
    steps.push(stepTo(`/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`, then[field]));
    if (then[field] === undefined) delete object[field];
    else object[field] = then[field];
  }
  const metadata: Record<string, unknown> = { ...current.metadata };
  for (const [field, wanted] of Object.entries(wantedMetadata(current, then))) {
    if (deepEqual(metadata[field] ?? {}, wanted)) continue;
    const value = Object.keys(wanted).length === 0 ? undefined : wanted;
    steps.push(stepTo(`/metadata/${field}`, value));
    metadata[field] = value;
  }
  if (steps.length === 0) return { kind: "nothing" };
  const version = current.metadata?.resourceVersion;
  return {
    kind: "patch",
    object: { ...object, metadata } as KubeObject,
    patch: [{ op: "replace", path: "/metadata/resourceVersion", value: version }, ...steps],
  };
}

/** The newest version in which something changed that `planUndo` brings back, and its place; undefined where none of these is it. */
export const lastChangeIn = (items: ObjectHistoryReport["items"]): number | undefined => {
  const found = items.findIndex(
    ({ operation, changes }) => operation !== "update" || changes === undefined || changes.some(({ field }) => isOfUsers(field)),
  );
  return found < 0 ? undefined : found;
};

const ofServer = new Set(["apiVersion", "kind", "metadata", "status"]);

function isOfUsers(field: string): boolean {
  if (/^\.(?:status|apiVersion|kind)(?:[.[]|$)/.test(field)) return false;
  if (!/^\.metadata(?:[.[]|$)/.test(field)) return true;
  const [, part = "", rest = ""] = /^\.metadata\.(labels|annotations)(.*)$/.exec(field) ?? [];
  return part !== "" && !(part === "annotations" && ofControllers.test(rest.replace(/^[.[]"?/, "")));
}

function wantedMetadata(current: KubeObject, then: KubeObject): { readonly labels: object; readonly annotations: object } {
  const annotations = (object: KubeObject, areOfControllers: boolean) =>
    Object.entries(object.metadata?.annotations ?? {}).filter(([name]) => ofControllers.test(name) === areOfControllers);
  return {
    labels: then.metadata?.labels ?? {},
    annotations: Object.fromEntries([...annotations(then, false), ...annotations(current, true)]),
  };
}

const stepTo = (path: string, value: unknown): PatchStep => (value === undefined ? { op: "remove", path } : { op: "add", path, value });

/** As if its users made it anew: without what the server and controllers have given it. */
function recreated({ status: _, metadata = {}, ...rest }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !ofControllers.test(key));
  return {
    ...withoutGeneratedSelector(rest as KubeObject),
    metadata: {
      ...{ name, ...(namespace === undefined ? {} : { namespace }) },
      ...(labels === undefined ? {} : { labels: withoutJobLabels(rest as KubeObject, labels) }),
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
  } as KubeObject;
}

const jobLabels = ["controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"];

/** A Job's selector is generated from its uid, which is another one when it is made again. */
function withoutGeneratedSelector(object: KubeObject): KubeObject {
  const { spec } = object as { spec?: { manualSelector?: boolean; template?: KubeObject; selector?: unknown } };
  if (object.kind !== "Job" || spec === undefined || spec.manualSelector === true) return object;
  const { selector: _, template, ...others } = spec;
  const metadata = template?.metadata;
  const made = { ...template, metadata: { ...metadata, labels: withoutJobLabels(object, metadata?.labels ?? {}) } };
  return { ...object, spec: { ...others, template: made } } as KubeObject;
}

const withoutJobLabels = ({ kind }: KubeObject, labels: Readonly<Record<string, string>>): object =>
  kind === "Job" ? Object.fromEntries(Object.entries(labels).filter(([name]) => !jobLabels.includes(name))) : labels;
