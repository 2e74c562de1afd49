/** Cells that every workload's Table has: what its template runs. */
import type { PodTemplateSpec } from "@coxswain/types/core-v1";

export const containerNames = (template: Readonly<PodTemplateSpec> | undefined): string => joined(template, "name");

export const containerImages = (template: Readonly<PodTemplateSpec> | undefined): string => joined(template, "image");

const joined = (template: Readonly<PodTemplateSpec> | undefined, key: "name" | "image"): string =>
  (template?.spec?.containers ?? []).map((container) => container[key] ?? "").join(",");

/** `a=b,c=d`, sorted. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const parts = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels?.[key]}`);
  return parts.length === 0 ? "<none>" : parts.join(",");
}
