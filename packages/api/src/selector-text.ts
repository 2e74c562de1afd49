/**
 * Label selectors of specs as the one-line text that `?labelSelector=` takes and Tables show.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
import type { LabelSelector, LabelSelectorRequirement } from "./types/meta-v1.ts";

/** Requirements by key; empty for a selector that is absent or selects everything. Undefined for an unknown operator. */
export function labelSelectorText(selector: LabelSelector | null | undefined): string | undefined {
  if (selector === undefined || selector === null) return "";
  const parts = Object.entries(selector.matchLabels ?? {}).map(([key, value]): Part => ({ key, text: `${key}=${value}` }));
  for (const requirement of selector.matchExpressions ?? []) {
    const text = requirementText(requirement);
    if (text === undefined) return undefined;
    parts.push({ key: requirement.key, text });
  }
  return joined(parts);
}

/** For selectors that are plain maps: Services and ReplicationControllers. */
export const labelsText = (labels: Readonly<Record<string, string>> | null | undefined): string =>
  joined(Object.entries(labels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })));

/** A cell: `<none>` for an empty selector. */
export const labelSelectorCell = (selector: LabelSelector | null | undefined): string => {
  const text = labelSelectorText(selector);
  return text === undefined ? "<error>" : text || "<none>";
};

interface Part {
  readonly key: string;
  readonly text: string;
}

const joined = (parts: readonly Part[]): string =>
  [...parts]
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ text }) => text)
    .join(",");

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string | undefined {
  const set = `(${[...values].sort().join(",")})`;
  switch (operator) {
    case "In":
      return `${key} in ${set}`;
    case "NotIn":
      return `${key} notin ${set}`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return undefined;
  }
}
