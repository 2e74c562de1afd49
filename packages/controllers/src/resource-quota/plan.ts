/** What a quota says of its namespace. */
import { type coreV1, resourceQuota, type resourceV1 } from "@coxswain/api";
import { deepEqual, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";

const { claimIsIn, claimUsage, countableOf, deviceClaimUsage, podIsIn, podUsage, requirementsOf, serviceUsage } = resourceQuota;

/** What is in the quota's namespace, as far as the quota counts it. */
export interface Content {
  readonly pods: readonly coreV1.Pod[];
  readonly services: readonly coreV1.Service[];
  readonly claims: readonly coreV1.PersistentVolumeClaim[];
  readonly deviceClaims: readonly resourceV1.ResourceClaim[];
  /** How many objects there are of any other resource; undefined where that is unknown. */
  readonly count: (resource: { readonly group: string; readonly resource: string }) => number | undefined;
}

export interface ObservedQuota {
  readonly quota: coreV1.ResourceQuota;
  readonly content: Content;
  readonly nowMs: number;
}

/** The status that the quota should have; undefined when it has it. */
export const plan = ({ quota, content, nowMs }: ObservedQuota): coreV1.ResourceQuotaStatus | undefined =>
  nextQuotaStatus(quota, content, nowMs);

/** Undefined when nothing in it would change. A count that is unknown stays as it was. */
export function nextQuotaStatus(
  { spec = {}, status = {} }: coreV1.ResourceQuota,
  content: Content,
  nowMs: number,
): coreV1.ResourceQuotaStatus | undefined {
  const { hard = {} } = spec;
  const used: Record<string, string> = {};
  const sums = sumsOf(Object.keys(hard), spec, content, nowMs);
  for (const name of Object.keys(hard)) {
    const amount = sums.get(name)?.toString() ?? status.used?.[name];
    if (amount !== undefined) used[name] = amount;
  }
  const next = { hard, used };
  return deepEqual(canonical(status.hard), canonical(hard)) && deepEqual(canonical(status.used), canonical(used)) ? undefined : next;
}

/** Whether less is used of something than was said before. */
export const givesBack = ({ used = {} }: coreV1.ResourceQuotaStatus, { used: before = {} }: coreV1.ResourceQuotaStatus = {}): boolean =>
  Object.entries(used).some(([name, amount]) => (parseQuantity(amount) ?? zero).compare(parseQuantity(before[name] ?? "") ?? zero) < 0);

const canonical = (amounts: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, parseQuantity(text)?.toString() ?? text]));

const zero = quantityOf(0);

function sumsOf(names: readonly string[], spec: coreV1.ResourceQuotaSpec, content: Content, nowMs: number): ReadonlyMap<string, Quantity> {
  const requirements = requirementsOf(spec);
  const sums = new Map<string, Quantity>();
  const about = (kind: resourceQuota.MeasuredKind, usages: () => readonly resourceQuota.Usage[]): void => {
    const wanted = names.filter((name) => countableOf(name)?.kind === kind);
    if (wanted.length === 0) return;
    for (const name of wanted) sums.set(name, zero);
    for (const usage of usages()) for (const name of wanted) sums.set(name, (sums.get(name) ?? zero).add(usage.get(name) ?? zero));
  };
  about("pods", () => content.pods.filter((pod) => podIsIn(pod, requirements)).map((pod) => podUsage(pod, nowMs)));
  about("claims", () => content.claims.filter((claim) => claimIsIn(claim, requirements)).map(claimUsage));
  about("deviceClaims", () => (requirements.length > 0 ? [] : content.deviceClaims.map(deviceClaimUsage)));
  about("services", () => (requirements.length > 0 ? [] : content.services.map(serviceUsage)));
  for (const name of names) {
    const countable = countableOf(name);
    if (countable?.kind !== "objects") continue;
    const count = requirements.length > 0 ? 0 : content.count(countable);
    if (count !== undefined) sums.set(name, quantityOf(count));
  }
  return sums;
}
