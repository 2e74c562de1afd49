import { field, validateDns1123Label } from "@coxswain/machinery";
import type { Affinity, NodeAffinity, PodAffinityTerm, PodAntiAffinity } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { validateLabelKey } from "../metadata/parts.ts";
import { validateNodeSelector, validateNodeSelectorTerm } from "../node-selector.ts";
import { validateLabelKeys } from "./match-label-keys.ts";

export function validateAffinity(out: Errors, path: string, affinity: Readonly<Affinity> | undefined): void {
  if (!affinity) return;
  if (affinity.nodeAffinity) validateNodeAffinity(out, `${path}.nodeAffinity`, affinity.nodeAffinity);
  if (affinity.podAffinity) validatePodTerms(out, `${path}.podAffinity`, affinity.podAffinity);
  if (affinity.podAntiAffinity) validatePodTerms(out, `${path}.podAntiAffinity`, affinity.podAntiAffinity);
}

function validateNodeAffinity(out: Errors, path: string, affinity: Readonly<NodeAffinity>): void {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (required) validateNodeSelector(out, `${path}.requiredDuringSchedulingIgnoredDuringExecution`, required);
  affinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, preference }, i) => {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    validateWeight(out, at, weight);
    validateNodeSelectorTerm(out, `${at}.preference`, preference ?? {}, { strictValues: false });
  });
}

function validateWeight(out: Errors, path: string, weight: number): void {
  if (weight <= 0 || weight > 100) out.push(field.invalid(`${path}.weight`, weight, "must be in the range 1-100"));
}

/** Affinity and anti-affinity have the same form. */
function validatePodTerms(out: Errors, path: string, affinity: Readonly<PodAntiAffinity>): void {
  affinity.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => {
    validatePodTerm(out, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`, term);
  });
  affinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, podAffinityTerm }, i) => {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    validateWeight(out, at, weight);
    validatePodTerm(out, `${at}.podAffinityTerm`, podAffinityTerm);
  });
}

function validatePodTerm(out: Errors, path: string, term: Readonly<PodAffinityTerm>): void {
  validateLabelSelector(out, `${path}.labelSelector`, term.labelSelector, "affinity values");
  validateLabelSelector(out, `${path}.namespaceSelector`, term.namespaceSelector, "affinity values");
  for (const name of term.namespaces ?? []) addInvalid(out, `${path}.namespace`, name, validateDns1123Label(name));
  validateTermKeys(out, path, term);
  if (!term.topologyKey) out.push(field.required(`${path}.topologyKey`, "can not be empty"));
  validateLabelKey(out, term.topologyKey ?? "", `${path}.topologyKey`);
}

function validateTermKeys(out: Errors, path: string, term: Readonly<PodAffinityTerm>): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  validateLabelKeys(out, path, matchLabelKeys, labelSelector);
  if (mismatchLabelKeys.length > 0 && !labelSelector) {
    out.push(field.forbidden(`${path}.mismatchLabelKeys`, "must not be specified when labelSelector is not set"));
  } else {
    mismatchLabelKeys.forEach((key, i) => {
      validateLabelKey(out, key, `${path}.mismatchLabelKeys[${i}]`);
    });
  }
  matchLabelKeys.forEach((key, i) => {
    if (mismatchLabelKeys.includes(key)) {
      out.push(field.invalid(`${path}.matchLabelKeys[${i}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
    }
  });
}
