/** What a write adds to the quotas of its namespace, and whether they have room for it. */
import { type coreV1, resourceQuota } from "@coxswain/api";
import { type KubeObject, parseQuantity, type Quantity, quantityOf, unexplained } from "@coxswain/machinery";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { LimitedResource } from "../../contracts/admission-configuration.ts";
import { refused } from "../refused.ts";

export type Quota = Readonly<coreV1.ResourceQuota & KubeObject>;

/** What is used of a quota once the write is done. */
export interface Charge {
  readonly quota: Quota;
  readonly used: Readonly<Record<string, string>>;
}

export interface ChargeOptions {
  readonly limited: readonly LimitedResource[];
  readonly nowMs: number;
}

type Amounts = ReadonlyMap<string, Quantity>;

const zero = quantityOf(0);

/** @throws forbidden() in Kubernetes' words */
export function chargesOf(request: AdmissionRequest, quotas: readonly Quota[], { limited, nowMs }: ChargeOptions): readonly Charge[] {
  const { object, previous, operation, subresource } = request;
  const { group, resource } = request.resource.definition;
  const evaluator = resourceQuota.quotaEvaluator(group, resource);
  if (object === undefined || evaluator?.handles({ operation, subresource, object, previous }) !== true) return [];
  const concerned = quotas.filter((quota) => concerns(quota, object, evaluator));
  for (const quota of concerned) checkQuota(request, quota, evaluator);
  const usage = evaluator.usage(object, nowMs);
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name);
  if (negative.length > 0) throw refused(request, `quota usage is negative for resource(s): ${negative.sort().join(",")}`);
  const before = operation === "update" && previous !== undefined ? evaluator.usage(previous, nowMs) : undefined;
  const more = before === undefined ? usage : increase(usage, before);
  const deltas = concerned.flatMap((quota) => {
    const wasConcerned = before !== undefined && previous !== undefined && concerns(quota, previous, evaluator);
    const delta = withoutZeros(wasConcerned ? more : usage);
    return delta.size === 0 ? [] : [{ quota, delta }];
  });
  if (concerned.length === 0 ? withoutZeros(more).size === 0 : deltas.length === 0) return [];
  checkLimited(request, { limited, evaluator, usage, quotas, concerned });
  return deltas.flatMap((one) => charged(request, one));
}

function concerns({ spec = {}, status }: Quota, object: Readonly<KubeObject>, evaluator: resourceQuota.QuotaEvaluator): boolean {
  return (
    Object.keys(status?.hard ?? {}).some((name) => evaluator.measures(name)) &&
    resourceQuota.requirementsOf(spec).every((requirement) => evaluator.matchesScope(object, requirement))
  );
}

const measuredBy = ({ status }: Quota, evaluator: resourceQuota.QuotaEvaluator): string[] =>
  Object.keys(status?.hard ?? {})
    .filter((name) => evaluator.measures(name))
    .sort();

/** @throws forbidden() where the object lacks what the quota asks for, or nobody knows yet what is used */
function checkQuota(request: AdmissionRequest, quota: Quota, evaluator: resourceQuota.QuotaEvaluator): void {
  const names = measuredBy(quota, evaluator);
  const missing = evaluator.missing(names, request.object ?? {});
  if (missing !== undefined) throw refused(request, `failed quota: ${nameOf(quota)}: ${missing}`);
  const { used = {} } = quota.status ?? {};
  if (names.some((name) => used[name] === undefined))
    throw refused(request, `status unknown for quota: ${nameOf(quota)}, resources: ${names.join(",")}`);
}

function increase(after: Amounts, before: Amounts): Amounts {
  return new Map(
    Array.from(after, ([name, amount]) => {
      const more = amount.sub(before.get(name) ?? zero);
      return [name, more.sign() < 0 ? zero : more];
    }),
  );
}

const withoutZeros = (amounts: Amounts): Amounts => new Map([...amounts].filter(([, amount]) => amount.sign() !== 0));

interface LimitedCheck {
  readonly limited: readonly LimitedResource[];
  readonly evaluator: resourceQuota.QuotaEvaluator;
  readonly usage: Amounts;
  readonly quotas: readonly Quota[];
  readonly concerned: readonly Quota[];
}

/** @throws forbidden() for amounts, and an error without a reason for scopes, that no quota is about though one must be */
function checkLimited(request: AdmissionRequest, { limited, evaluator, usage, quotas, concerned }: LimitedCheck): void {
  if (limited.length === 0) return;
  const { definition } = request.resource;
  const parts = limited
    .filter(({ apiGroup = "", resource }) => apiGroup === definition.group && resource === definition.resource)
    .flatMap(({ matchContains = [] }) => matchContains);
  const covered = new Set(concerned.flatMap((quota) => measuredBy(quota, evaluator)));
  const uncovered = [...usage]
    .filter(([name, amount]) => amount.sign() > 0 && parts.some((part) => name.includes(part)) && !covered.has(name))
    .map(([name]) => name);
  if (uncovered.length > 0) throw refused(request, `insufficient quota to consume: ${uncovered.sort().join(",")}`);
  const object = request.object ?? {};
  const matched = (requirements: readonly coreV1.ScopedResourceSelectorRequirement[]) =>
    requirements.filter((requirement) => evaluator.matchesScope(object, requirement));
  const allowed = new Set(quotas.flatMap(({ spec = {} }) => matched(resourceQuota.requirementsOf(spec))).map(({ scopeName }) => scopeName));
  const open = limited.flatMap(({ matchScopes = [] }) => matched(matchScopes)).filter(({ scopeName }) => !allowed.has(scopeName));
  if (open.length === 0) return;
  const shown = open.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(" ")}]}`);
  throw unexplained(`insufficient quota to match these scopes: [${shown.join(" ")}]`);
}

/** @throws forbidden() where the quota would be exceeded */
function charged(request: AdmissionRequest, { quota, delta }: { readonly quota: Quota; readonly delta: Amounts }): readonly Charge[] {
  const { hard = {}, used = {} } = quota.status ?? {};
  const requested = [...delta].filter(([name]) => Object.hasOwn(hard, name)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (requested.length === 0) return [];
  const next: Record<string, string> = { ...used };
  const exceeded: string[] = [];
  for (const [name, amount] of requested) {
    const sum = (parseQuantity(used[name] ?? "") ?? zero).add(amount);
    next[name] = sum.toString();
    if (sum.compare(parseQuantity(hard[name] ?? "") ?? zero) > 0) exceeded.push(name);
  }
  if (exceeded.length > 0 && request.subresource !== "status") {
    const shown = (amounts: Readonly<Record<string, string>>): string =>
      exceeded.map((name) => `${name}=${amounts[name] ?? "0"}`).join(",");
    const asked = Object.fromEntries(requested.map(([name, amount]) => [name, amount.toString()]));
    const limits = `requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(hard)}`;
    throw refused(request, `exceeded quota: ${nameOf(quota)}, ${limits}`);
  }
  return [{ quota, used: next }];
}

const nameOf = ({ metadata }: Quota): string => metadata?.name ?? "";
