/** The rules for parts of a Node. */
import { type FieldError, field, goQuote, parseCidr, parseQuantity, validateLabelValue, validateQualifiedName } from "@coxswain/machinery";
import type { Node, NodeAddress, Taint } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { validateCidr } from "../../../validation/ip.ts";

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTaints(out: Errors, taints: readonly Taint[]): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    // Kubernetes reports taints under metadata, where they were before they had a field.
    const path = `metadata.taints[${i}]`;
    const { key = "", value = "", effect = "" } = taint;
    addInvalid(out, `${path}.key`, key, validateQualifiedName(key));
    const problems = validateLabelValue(value);
    if (problems.length > 0) out.push(field.invalid(`${path}.value`, value, problems.join(";")));
    if (effect === "") out.push(field.required(`${path}.effect`));
    else if (!taintEffects.includes(effect)) out.push(field.notSupported(`${path}.effect`, effect, taintEffects));
    const id = JSON.stringify([effect, key]);
    if (seen.has(id)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      out.push(withDetail(field.duplicate(path, shown), "taints must be unique by key and effect pair"));
    }
    seen.add(id);
  }
}

const withDetail = (error: FieldError, detail: string): FieldError => ({ ...error, message: `${error.message}: ${detail}` });

export function validateAddresses(out: Errors, addresses: readonly NodeAddress[]): void {
  const seen = new Set<string>();
  for (const [i, { type, address }] of addresses.entries()) {
    const id = JSON.stringify([type, address]);
    if (seen.has(id)) out.push(field.duplicate(`status.addresses[${i}]`, { Type: type, Address: address }));
    seen.add(id);
  }
}

const featureName = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const maxFeatureName = 253;

/** What the kubelet can do, in order. @see https://kep.k8s.io/5328 */
export function validateFeatures(out: Errors, features: readonly string[]): void {
  for (const [i, name] of features.entries()) {
    const path = `status.declaredFeatures[${i}]`;
    const before = features[i - 1];
    if (before === name) out.push(field.duplicate(path, name));
    else if (before !== undefined && before > name) out.push(field.invalid(path, name, "list must be sorted alphabetically"));
    const problem = featureProblem(name);
    if (problem !== undefined) out.push(field.invalid(path, name, `invalid feature name ${goQuote(name)}: ${problem}`));
  }
}

function featureProblem(name: string): string | undefined {
  if (name.length > maxFeatureName) return `must be no more than ${maxFeatureName} characters`;
  if (featureName.test(name)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

export function validatePodCidrs(out: Errors, cidrs: readonly string[]): void {
  for (const [i, cidr] of cidrs.entries()) validateCidr(out, `spec.podCIDRs[${i}]`, cidr);
  if (cidrs.length < 2) return;
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.family));
  if (cidrs.length > 2 || families.size < 2) {
    out.push(field.invalid("spec.podCIDRs", cidrs, "may specify no more than one CIDR for each IP family"));
  }
}

export function validateResources(out: Errors, { status }: Readonly<Node>): void {
  for (const key of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(status?.[key] ?? {})) validateAmount(out, `status.${key}.${name}`, name, amount);
  }
}

function validateAmount(out: Errors, path: string, name: string, amount: string): void {
  const quantity = parseQuantity(amount);
  if (quantity === undefined) return;
  if (quantity.sign() < 0) out.push(field.invalid(path, quantity.toString(), "must be greater than or equal to 0"));
  if (isCounted(name) && quantity.milli() % 1000n !== 0n) out.push(field.invalid(path, quantity.toString(), "must be an integer"));
}

/** Pods and extended resources, those outside Kubernetes' own domain, are counted. */
const isCounted = (name: string): boolean =>
  name === "pods" || (name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests."));
