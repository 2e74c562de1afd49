/** Amounts as the server stores them: whole thousandths, requests filled in from limits, the pod's from its containers'. */
import { parseQuantity, type Quantity } from "@coxswain/machinery";
import type { Container, PodSpec, ResourceRequirements } from "@coxswain/types/core-v1";
import { isPodLevelResource, readAmounts, sumContainers } from "./resource-requests.ts";

export type Amounts = Record<string, string>;

/** Amounts finer than a thousandth are rounded up. In canonical form they end in `n`, `u` or a negative exponent. */
export function roundAmounts(amounts: Amounts | undefined): void {
  if (!amounts) return;
  for (const [name, text] of Object.entries(amounts)) {
    if (text.endsWith("n") || text.endsWith("u") || text.includes("e-"))
      amounts[name] = parseQuantity(text)?.roundUp(-3).toString() ?? text;
  }
}

export function roundResources(resources: ResourceRequirements): void {
  roundAmounts(resources.limits);
  roundAmounts(resources.requests);
}

/** A limit without a request is also the request. Pods only: templates stay as they were written. */
export function requestWhatIsLimited(container: Container): void {
  const { resources } = container;
  if (!resources?.limits) return;
  const missing = Object.entries(resources.limits).filter(([name]) => !Object.hasOwn(resources.requests ?? {}, name));
  if (missing.length > 0) resources.requests = { ...resources.requests, ...Object.fromEntries(missing) };
}

const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/**
 * Requests and limits of the whole pod, where the pod states some of them.
 * @see https://kep.k8s.io/2837
 */
export function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources) return;
  roundResources(resources);
  const stated = hasAny(resources.limits) || hasAny(resources.requests);
  if (stated) limitHugePages(spec, resources);
  if (hasAny(resources.limits)) {
    const requests = { ...resources.requests };
    for (const [name, amount] of aggregate(spec, "requests")) {
      if (isPodLevelResource(name) && !isHugePages(name) && !Object.hasOwn(requests, name)) requests[name] = amount.toString();
    }
    for (const [name, amount] of Object.entries(resources.limits ?? {})) {
      if (isPodLevelResource(name) && !Object.hasOwn(requests, name)) requests[name] = amount;
    }
    if (hasAny(requests)) resources.requests = requests;
  }
}

function limitHugePages(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = { ...resources.limits };
  for (const [name, amount] of aggregate(spec, "limits")) {
    if (isHugePages(name) && !Object.hasOwn(resources.requests ?? {}, name) && !Object.hasOwn(limits, name))
      limits[name] = amount.toString();
  }
  if (hasAny(limits)) resources.limits = limits;
}

const hasAny = (amounts: Amounts | undefined): amounts is Amounts => amounts !== undefined && Object.keys(amounts).length > 0;

/** What the pod needs at its worst moment. */
export const aggregate = (spec: Readonly<PodSpec>, which: "requests" | "limits"): Map<string, Quantity> =>
  sumContainers(spec, ({ resources }) => readAmounts(resources?.[which]));
