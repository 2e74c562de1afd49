/** Requests, limits and claims of a container, or of the whole pod. */
import { field, parseQuantity, type Quantity, validateDns1123Label, validateQualifiedName } from "@coxswain/machinery";
import type { PodSpec, ResourceClaim, ResourceRequirements } from "@coxswain/types/core-v1";
import { aggregate } from "../../pod-spec/default-resources.ts";
import { addInvalid, type Errors, isSet } from "../checks.ts";
import { ratchet } from "../ratcheting.ts";

export type NameRule = (out: Errors, path: string, name: string) => void;

export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/** Names without a prefix, or with kubernetes.io in it, are Kubernetes' own. */
const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");
export const canOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);
/** `requests.` is kept for quotas, whose names are made by putting it in front. */
export const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith("requests.") && validateQualifiedName(`requests.${name}`).length === 0;

const forContainers = ["cpu", "memory", "ephemeral-storage"];
export const objectCounts = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
export const standardResources = new Set([
  ...objectCounts,
  ...["", "requests.", "limits."].flatMap((prefix) => forContainers.map((name) => prefix + name)),
  "storage",
  "requests.storage",
]);
export const isWhole = (name: string): boolean => objectCounts.includes(name) || isExtended(name);

export const computeResourceName: NameRule = (out, path, name) => {
  const problems = validateQualifiedName(name);
  addInvalid(out, path, name, problems);
  if (
    problems.length > 0 ||
    name.includes("/") ||
    standardResources.has(name) ||
    isHugePages(name) ||
    name.startsWith("requests.hugepages-")
  )
    return;
  out.push(field.invalid(path, name, "must be a standard resource type or fully qualified"));
};

export const containerResourceName: NameRule = (out, path, name) => {
  if (forContainers.includes(name)) return;
  computeResourceName(out, path, name);
  if (!name.includes("/")) {
    if (!isHugePages(name)) out.push(field.invalid(path, name, "must be a standard resource for containers"));
  } else if (!isNative(name) && !isExtended(name)) {
    out.push(field.invalid(path, name, "doesn't follow extended resource name standard"));
  }
};

const podResourceName: NameRule = (out, path, name) => {
  const before = out.length;
  computeResourceName(out, path, name);
  if (out.length > before || name === "cpu" || name === "memory" || isHugePages(name)) return;
  out.push(field.notSupported(path, name, ["cpu", "hugepages-", "memory"]));
};

/** `claims` are the names in the pod's spec.resourceClaims. */
export function validateResources(
  out: Errors,
  path: string,
  resources: Readonly<ResourceRequirements> | undefined,
  claims: ReadonlySet<string>,
): void {
  if (!resources) return;
  validateAmounts(out, path, resources, containerResourceName);
  if (resources.claims?.length) validateClaimNames(out, `${path}.claims`, resources.claims, claims);
}

function validateAmounts(out: Errors, path: string, resources: Readonly<ResourceRequirements>, nameRule: NameRule): void {
  const limits = amounts(resources.limits);
  const requests = amounts(resources.requests);
  for (const [name, amount] of limits) {
    const at = `${path}.limits[${name}]`;
    nameRule(out, at, name);
    validateAmount(out, at, name, amount);
  }
  for (const request of requests) {
    const [name, amount] = request;
    const at = `${path}.requests[${name}]`;
    nameRule(out, at, name);
    validateAmount(out, at, name, amount);
    validateAgainstLimit(out, path, request, limits.get(name));
  }
  const named = [...limits.keys(), ...requests.keys()];
  if (named.some(isHugePages) && !named.includes("cpu") && !named.includes("memory")) {
    out.push(field.forbidden(path, "HugePages require cpu or memory"));
  }
}

function amounts(texts: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  const map = new Map<string, Quantity>();
  if (!texts) return map;
  for (const name of Object.keys(texts)) {
    const amount = parseQuantity(texts[name] ?? "");
    if (amount !== undefined) map.set(name, amount);
  }
  return map;
}

function validateAmount(out: Errors, path: string, name: string, amount: Quantity): void {
  if (amount.sign() < 0) out.push(field.invalid(path, amount.toString(), "must be greater than or equal to 0"));
  if (isWhole(name) && amount.milli() % 1000n !== 0n) out.push(field.invalid(path, amount.toString(), "must be an integer"));
  if (!isHugePages(name)) return;
  const page = parseQuantity(name.slice("hugepages-".length));
  if (page === undefined || page.sign() <= 0 || amount.value() % page.value() !== 0n) {
    const why = `${amount} is not positive integer multiple of ${name}`;
    ratchet(out, "huge pages", () => out.push(field.invalid(path, amount.toString(), why)));
  }
}

function validateAgainstLimit(out: Errors, path: string, [name, request]: readonly [string, Quantity], limit: Quantity | undefined): void {
  if (limit === undefined) {
    if (!canOvercommit(name)) out.push(field.required(`${path}.limits`, "Limit must be set for non overcommitable resources"));
    return;
  }
  const order = request.compare(limit);
  if (order !== 0 && !canOvercommit(name)) {
    out.push(field.invalid(`${path}.requests`, request.toString(), `must be equal to ${name} limit of ${limit}`));
  } else if (order > 0) {
    out.push(field.invalid(`${path}.requests`, request.toString(), `must be less than or equal to ${name} limit of ${limit}`));
  }
}

/** Each claim once; a claim named whole covers all of its requests. */
function validateClaimNames(out: Errors, path: string, claims: readonly ResourceClaim[], known: ReadonlySet<string>): void {
  const seen = new Set<string>();
  claims.forEach(({ name, request }, i) => {
    const at = `${path}[${i}]`;
    if (!name) out.push(field.required(at));
    if (!name) return;
    const key = request ? `${name}/${request}` : name;
    if (seen.has(name)) out.push(field.duplicate(at, name));
    else {
      if (request) addInvalid(out, `${at}.request`, request, validateDns1123Label(request));
      const overlap = seen.has(key) || (!request && [...seen].some((other) => other.startsWith(`${name}/`)));
      if (overlap) out.push(field.duplicate(at, key));
      seen.add(key);
    }
    if (!known.has(name)) out.push(unknownClaim(at, name, known));
  });
}

function unknownClaim(path: string, name: string, known: ReadonlySet<string>) {
  const names = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
  const error = field.notFound(path, name);
  return { ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${names}` };
}

/**
 * Resources of the pod as a whole: enough for its containers together, and no container may have more than the pod.
 * @see https://kep.k8s.io/2837
 */
export function validatePodLevelResources(out: Errors, path: string, spec: Readonly<PodSpec>, claims: ReadonlySet<string>): void {
  const { resources } = spec;
  if (!resources) return;
  if (spec.os?.name === "windows") return void out.push(field.forbidden(path, "may not be set for a windows pod"));
  if (isSet(resources.claims)) out.push(field.forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level"));
  validateAmounts(out, path, resources, podResourceName);
  if (resources.claims?.length) validateClaimNames(out, `${path}.claims`, resources.claims, claims);
  const limits = amounts(resources.limits);
  requireEnough(out, `${path}.requests`, amounts(resources.requests), aggregate(spec, "requests"));
  // Huge pages are not shared out twice: their limits are held like requests.
  const pages = [...aggregate(spec, "limits")].filter(([name]) => isHugePages(name));
  requireEnough(out, `${path}.limits`, limits, pages);
  (spec.containers ?? []).forEach((container, i) => {
    for (const [name, limit] of amounts(container.resources?.limits)) {
      const podLimit = limits.get(name);
      if (podLimit !== undefined && limit.compare(podLimit) > 0) {
        const at = `${path}.containers[${i}][${name}].limits`;
        out.push(field.invalid(at, limit.toString(), `must be less than or equal to pod limits of ${podLimit}`));
      }
    }
  });
}

function requireEnough(out: Errors, path: string, stated: ReadonlyMap<string, Quantity>, needed: Iterable<[string, Quantity]>): void {
  for (const [name, need] of needed) {
    const have = stated.get(name);
    if (have !== undefined && need.compare(have) > 0) {
      const which = path.slice(path.lastIndexOf(".") + 1);
      const detail = `must be greater than or equal to aggregate container ${which} of ${need}`;
      out.push(field.invalid(`${path}[${name}]`, have.toString(), detail));
    }
  }
}
