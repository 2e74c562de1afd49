/** Cells that every workload's Table has: what its template runs. */
import type { PodTemplateSpec } from "../types/core-v1.ts";

const joined = (template: Readonly<PodTemplateSpec> | undefined, name: "name" | "image"): string =>
  (template?.spec?.containers ?? []).map((c) => c[name] ?? "").join(",");

export const containerCells = (template: Readonly<PodTemplateSpec> | undefined): readonly [names: string, images: string] => [
  joined(template, "name"),
  joined(template, "image"),
];

/** `a=b,c=d`, sorted. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const parts = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels?.[key]}`);
  return parts.length === 0 ? "<none>" : parts.join(",");
}
