/**
 * What disruption budgets say of an eviction, and that they count it.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */

import { failure, forbidden, type KubeObject, labelSelectorFromObject, type StatusError, unexplained } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { ServedResource } from "../../../contracts/served-resource.ts";
import { wholeSeconds } from "../../../registry/metadata.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import type { ObjectReader } from "../../../storage/object-reader.ts";
import { prefixOf } from "../../../storage/served-resource.ts";
import type { EffectServices } from "../../services.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Budget extends KubeObject {
  spec?: { selector?: object; unhealthyPodEvictionPolicy?: string };
  status?: {
    disruptionsAllowed?: number;
    desiredHealthy?: number;
    currentHealthy?: number;
    observedGeneration?: number;
    disruptedPods?: Record<string, string>;
    conditions?: readonly Condition[];
  };
}

type DisruptionServices = Pick<EffectServices, "reader" | "registry" | "clock">;

/** The field manager of what the server writes for itself. */
const serverItself = "kube-apiserver";

/** A budget that stops being read is not to be filled for ever. */
const maxDisruptedPods = 2_000;

/**
 * Which budget guards the Pod, and whether the eviction was counted there: that of an unready Pod need not be. Undefined when
 * none guards it. @throws 429 when the budget has nothing left
 */
export async function checkAndDecrement(
  { reader, registry, clock }: DisruptionServices,
  ctx: RequestContext,
  pod: Entry,
  dryRun: boolean,
): Promise<{ readonly budget: string; readonly spent: boolean } | undefined> {
  const { info } = ctx;
  const resource = reader.served.find("policy", "v1", "poddisruptionbudgets");
  if (resource === undefined) return undefined;
  const [budget, another] = await budgetsOf(reader, info.namespace, resource, pod);
  if (another !== undefined) {
    throw unexplained("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  }
  if (budget === undefined) return undefined;
  const name = budget.metadata?.name ?? "";
  if (!isReady(reader.cache.objectOf(pod)) && sparesUnready(budget)) return { budget: name, spent: false };
  const query = new URLSearchParams({ fieldManager: serverItself });
  const onBudget: RequestContext = { ...ctx, resource, query, info: { ...info, name, subresource: "status" } };
  await registry.update(onBudget, name, {
    part: "status",
    dryRun,
    next: (current) => spend(cloneJson(current) as Budget, name, info.name, wholeSeconds(clock.now())),
  });
  return { budget: name, spent: true };
}

async function budgetsOf(
  { store, cache }: ObjectReader,
  namespace: string,
  resource: ServedResource,
  pod: Entry,
): Promise<Readonly<Budget>[]> {
  const labels = cache.labelsOf(pod);
  const { entries } = await store.list(prefixOf(resource, namespace));
  const budgets = entries.map((entry) => cache.objectAt(entry, resource) as Readonly<Budget>);
  return budgets.filter(({ spec }) => spec?.selector !== undefined && labelSelectorFromObject(spec.selector).matches(labels));
}

const isReady = (pod: Readonly<KubeObject>): boolean =>
  ((pod.status ?? {}) as { conditions?: readonly Condition[] }).conditions?.some(
    ({ type, status }) => type === "Ready" && status === "True",
  ) ?? false;

/** An unready Pod may go when the others suffice, or whenever the budget says so. */
function sparesUnready({ spec, status = {} }: Readonly<Budget>): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" || (desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}

function spend(budget: Budget, name: string, pod: string, now: string): Budget {
  budget.status ??= {};
  const { status } = budget;
  const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status;
  const refused = (why: string) => forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, why);
  if (observedGeneration < (budget.metadata?.generation ?? 0)) throw stillProcessed(name);
  if (disruptionsAllowed < 0) throw refused("pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > maxDisruptedPods)
    throw refused("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (disruptionsAllowed === 0) throw blocked(0, whyNothingIsLeft(name, status));
  status.disruptionsAllowed = disruptionsAllowed - 1;
  status.disruptedPods = { ...disruptedPods, [pod]: now };
  if (disruptionsAllowed === 1) status.conditions = withoutPodsToSpare(status.conditions ?? [], observedGeneration, now);
  return budget;
}

/** The numbers say why, unless they could not be worked out or leave Pods to spare. */
function whyNothingIsLeft(name: string, { conditions, desiredHealthy = 0, currentHealthy = 0 }: NonNullable<Budget["status"]>): string {
  const disallowed = `The disruption budget ${name} does not allow evicting pods currently`;
  const { status, reason = "", message = "" } = conditions?.find(({ type }) => type === disruptionAllowed) ?? {};
  const said = status === "False" && message !== "";
  if (said && reason === "SyncFailed") return `${disallowed} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return said ? `${disallowed} (${reason}): ${message}` : disallowed;
}

const disruptionAllowed = "DisruptionAllowed";

function withoutPodsToSpare(conditions: readonly Condition[], observedGeneration: number, now: string): readonly Condition[] {
  const type = disruptionAllowed;
  const at = conditions.findIndex((condition) => condition.type === type);
  const before = conditions[at];
  const since = before?.status === "False" ? before.lastTransitionTime : undefined;
  const next = { type, status: "False", observedGeneration, lastTransitionTime: since ?? now, reason: "InsufficientPods", message: "" };
  return at < 0 ? [...conditions, next] : conditions.with(at, next);
}

/** The budget's numbers are not those of its Pods now: who asks again later gets an answer. */
export const stillProcessed = (budget: string): StatusError =>
  blocked(10, `The disruption budget ${budget} is still being processed by the server.`);

function blocked(retryAfterSeconds: number, why: string): StatusError {
  const details = { ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}), causes: [{ reason: "DisruptionBudget", message: why }] };
  return failure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", details);
}
