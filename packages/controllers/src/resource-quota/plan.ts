/** What a quota says of its namespace. */
import type { coreV1 } from "@coxswain/api";
import { deepEqual, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import { claimIsIn, podIsIn, requirementsOf } from "./scopes.ts";
import { claimUsage, podUsage, serviceUsage, type Usage } from "./usage.ts";

/** All that is in the quota's namespace. */
export interface Content {
  readonly pods: () => readonly coreV1.Pod[];
  readonly services: () => readonly coreV1.Service[];
  readonly claims: () => readonly coreV1.PersistentVolumeClaim[];
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

const canonical = (amounts: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, parseQuantity(text)?.toString() ?? text]));

const zero = quantityOf(0);

function sumsOf(names: readonly string[], spec: coreV1.ResourceQuotaSpec, content: Content, nowMs: number): ReadonlyMap<string, Quantity> {
  const requirements = requirementsOf(spec);
  const sums = new Map<string, Quantity>();
  const about = (kind: Countable, usages: () => readonly Usage[]): void => {
    const wanted = names.filter((name) => countableOf(name)?.kind === kind);
    if (wanted.length === 0) return;
    for (const name of wanted) sums.set(name, zero);
    for (const usage of usages()) for (const name of wanted) sums.set(name, (sums.get(name) ?? zero).add(usage.get(name) ?? zero));
  };
  about("pods", () =>
    content
      .pods()
      .filter((pod) => podIsIn(pod, requirements))
      .map((pod) => podUsage(pod, nowMs)),
  );
  about("claims", () =>
    content
      .claims()
      .filter((claim) => claimIsIn(claim, requirements))
      .map(claimUsage),
  );
  about("services", () => (requirements.length > 0 ? [] : content.services().map(serviceUsage)));
  for (const name of names) {
    const countable = countableOf(name);
    if (countable?.kind !== "objects") continue;
    const count = requirements.length > 0 ? 0 : content.count(countable);
    if (count !== undefined) sums.set(name, quantityOf(count));
  }
  return sums;
}

type Countable = "pods" | "services" | "claims" | "objects";

/** Those that are counted without `count/` in front. */
const legacy = ["configmaps", "secrets", "replicationcontrollers", "resourcequotas"];

/** What has to be looked at for this name of a quota; undefined for a name that means nothing here. */
export function countableOf(
  name: string,
):
  | { readonly kind: Exclude<Countable, "objects"> }
  | { readonly kind: "objects"; readonly group: string; readonly resource: string }
  | undefined {
  if (isOf(name, "pods") || isComputeName(name)) return { kind: "pods" };
  if (isOf(name, "services") || name === "services.loadbalancers" || name === "services.nodeports") return { kind: "services" };
  if (isOf(name, "persistentvolumeclaims") || name === "requests.storage" || name.includes(".storageclass.storage.k8s.io/"))
    return { kind: "claims" };
  if (legacy.includes(name)) return { kind: "objects", group: "", resource: name };
  if (!name.startsWith("count/")) return undefined;
  const [resource = "", ...group] = name.slice("count/".length).split(".");
  return { kind: "objects", group: group.join("."), resource };
}

const isOf = (name: string, resource: string): boolean => name === resource || name === `count/${resource}`;

const compute = /^(requests\.|limits\.)?(cpu|memory|ephemeral-storage)$|^(requests\.)?hugepages-|^requests\.[^/]+\/.+/;

const isComputeName = (name: string): boolean => compute.test(name) && !name.includes(".storageclass.storage.k8s.io/");
