/**
 * Label keys whose values a term takes from the pod itself. When the pod is made they turn into requirements
 * of the term's selector, so whoever reads the pod needs to know nothing of them.
 * @see https://kep.k8s.io/3633
 */
import { field } from "@coxswain/machinery";
import type { Pod, PodAffinityTerm } from "@coxswain/types/core-v1";
import type { LabelSelector } from "@coxswain/types/meta-v1";
import type { Errors } from "../checks.ts";
import { validateLabelKey } from "../metadata/parts.ts";

/** A key that the selector names beside the requirement made from it stands there twice, which is reported of the term at `at`. */
export function validateLabelKeys(out: Errors, at: string, keys: readonly string[], selector: Readonly<LabelSelector> | undefined): void {
  if (keys.length === 0) return;
  const path = `${at}.matchLabelKeys`;
  if (!selector) return void out.push(field.forbidden(path, "must not be specified when labelSelector is not set"));
  keys.forEach((key, i) => {
    validateLabelKey(out, key, `${path}[${i}]`);
  });
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  for (const { key } of selector.matchExpressions ?? []) {
    if (keys.includes(key) && seen.has(key)) {
      out.push(field.invalid(`${at}[${keys.indexOf(key)}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
    seen.add(key);
  }
}

/** Adds the requirements to every term of a new pod, in place. */
export function addLabelRequirements(pod: Pod): void {
  const { affinity, topologySpreadConstraints = [] } = pod.spec ?? {};
  const labels = pod.metadata?.labels ?? {};
  for (const terms of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    const required = terms?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = terms?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of [...required, ...preferred.map((p) => p.podAffinityTerm)]) addToTerm(term, labels);
  }
  for (const constraint of topologySpreadConstraints) addRequirements(constraint.labelSelector, constraint.matchLabelKeys, "In", labels);
}

function addToTerm(term: PodAffinityTerm, labels: Readonly<Record<string, string>>): void {
  addRequirements(term.labelSelector, term.matchLabelKeys, "In", labels);
  addRequirements(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels);
}

function addRequirements(
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  operator: "In" | "NotIn",
  labels: Readonly<Record<string, string>>,
): void {
  if (!selector || !keys) return;
  for (const key of keys) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value !== undefined) selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}
