/** What a ControllerRevision keeps: a strategic merge patch that gives an object the Pod template it once had. */
import type { appsV1, coreV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import { withSortedKeys } from "../pods/template-hash.ts";

export type ControllerRevision = appsV1.ControllerRevision;
type Template = coreV1.PodTemplateSpec;

/** Keys are sorted: whoever compares bytes finds the same revision. */
export const revisionData = (template: Template): Record<string, unknown> =>
  withSortedKeys({ spec: { template: { ...template, $patch: "replace" } } }) as Record<string, unknown>;

export const holdsTemplate = ({ data }: ControllerRevision, template: Template): boolean => deepEqual(data, revisionData(template));

/**
 * Also when it was written by a server that put down as null what it left out otherwise, such as the time at which a
 * template was created: no reason to replace Pods.
 */
export const restoresTemplate = ({ data }: ControllerRevision, template: Template): boolean =>
  deepEqual(withoutNulls(data), withoutNulls(revisionData(template)));

/** `current` where the revision keeps none. */
export function templateIn({ data }: ControllerRevision, current: Template): Template {
  const { template } = (data as { spec?: { template?: Template & { $patch?: string } } } | undefined)?.spec ?? {};
  if (template === undefined) return current;
  const { $patch: _, ...kept } = template;
  return kept;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNulls(member)]));
}
