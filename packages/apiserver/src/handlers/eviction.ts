/**
 * Evicting a Pod: a delete that asks the disruption budgets first.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
import { failure, isConflict, type KubeObject, labelSelectorFromObject, notFound, type Status } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import { cloneJson } from "../clone.ts";
import type { RequestContext } from "../context.ts";
import { decodeBody } from "../decode-body.ts";
import { checkDeleteOptions, type GivenDeleteOptions } from "../delete-options.ts";
import type { Reply } from "../http/exchange.ts";
import { type DeleteOptions, parseWriteOptions } from "../options.ts";
import { deleteObject } from "../registry/delete.ts";
import { checkName, wholeSeconds } from "../registry/metadata.ts";
import { setCondition } from "../registry/pod-condition.ts";
import { keyOf, prefixOf, type ServedResource } from "../registry/served-resource.ts";
import { updateObject } from "../registry/update.ts";
import { replyStatus } from "../respond.ts";

interface Eviction extends KubeObject {
  readonly deleteOptions?: GivenDeleteOptions;
}

interface Budget extends KubeObject {
  spec?: { selector?: object };
  status?: {
    disruptionsAllowed?: number;
    desiredHealthy?: number;
    currentHealthy?: number;
    observedGeneration?: number;
    disruptedPods?: Record<string, string>;
  };
}

/** POST of an Eviction to `/pods/NAME/eviction`. @throws tooManyRequests() when a budget forbids it now */
export async function evictPod(ctx: RequestContext): Promise<Reply> {
  const { server, info } = ctx;
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const eviction: Eviction = await decodeBody(ctx, server.served.eviction, options.fieldValidation);
  if (eviction.metadata?.name !== undefined && eviction.metadata.name !== "") checkName(eviction, info.name);
  const asked = checkDeleteOptions(eviction.deleteOptions ?? {});
  const deletion: DeleteOptions = { ...asked, dryRun: asked.dryRun || options.dryRun };
  const { entry } = await server.store.get(keyOf(ctx.resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(ctx.resource.groupResource, info.name);
  if (needsBudget(server.cache.objectOf(entry))) await spendBudget(ctx, entry, deletion.dryRun);
  if (!deletion.dryRun) await tellWhy(ctx);
  await deleteObject(ctx, info.namespace, info.name, deletion);
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return replyStatus(status, ctx.representation);
}

/** Whoever looks after the Pod can see that it did not fail by itself. */
async function tellWhy(ctx: RequestContext): Promise<void> {
  await updateObject(ctx, ctx.info.name, {
    part: "free",
    managed: (before) => before,
    dryRun: false,
    next: (current) => {
      const pod = cloneJson(current as KubeObject);
      const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
      setCondition(pod, condition, ctx.server.clock.now());
      return pod;
    },
  });
}

/** Pods that do not run count for no budget. */
function needsBudget(pod: Readonly<KubeObject>): boolean {
  const { phase } = (pod.status ?? {}) as { phase?: string };
  return phase !== "Pending" && phase !== "Succeeded" && phase !== "Failed" && pod.metadata?.deletionTimestamp === undefined;
}

async function spendBudget(ctx: RequestContext, pod: Entry, dryRun: boolean): Promise<void> {
  const { server, info } = ctx;
  const resource = server.served.find("policy", "v1", "poddisruptionbudgets");
  if (resource === undefined) return;
  const budgets = await budgetsOf(ctx, resource, pod);
  if (budgets.length > 1) {
    throw failure(500, "InternalError", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  }
  const name = budgets[0];
  if (name === undefined) return;
  const onBudget: RequestContext = { ...ctx, resource, info: { ...info, name, subresource: "status" } };
  await updateObject(onBudget, name, {
    part: "status",
    managed: (before) => before,
    dryRun,
    next: (current) => spent(cloneJson(current) as Budget, name, info.name, server.clock.now()),
  }).catch((error: unknown) => {
    if (isConflict(error)) throw blocked(10, "The disruption budget is being updated.");
    throw error;
  });
}

async function budgetsOf(ctx: RequestContext, resource: ServedResource, pod: Entry): Promise<string[]> {
  const { server, info } = ctx;
  const labels = server.cache.labelsOf(pod);
  const { entries } = await server.store.list(prefixOf(resource, info.namespace));
  const matching = entries.filter((entry) => {
    const { spec } = server.cache.objectOf(entry) as Budget;
    return spec?.selector !== undefined && labelSelectorFromObject(spec.selector).matches(labels);
  });
  return matching.map((entry) => server.cache.objectOf(entry).metadata?.name ?? "");
}

function spent(budget: Budget, name: string, pod: string, now: number): Budget {
  budget.status ??= {};
  const { status } = budget;
  if ((status.observedGeneration ?? 0) < (budget.metadata?.generation ?? 0)) {
    throw blocked(10, `The disruption budget ${name} is still being processed by the server.`);
  }
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed <= 0) {
    throw blocked(
      0,
      `The disruption budget ${name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
    );
  }
  status.disruptionsAllowed = allowed - 1;
  status.disruptedPods = { ...status.disruptedPods, [pod]: wholeSeconds(now) };
  return budget;
}

function blocked(retryAfterSeconds: number, why: string) {
  const details = { ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}), causes: [{ reason: "DisruptionBudget", message: why }] };
  return failure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", details);
}
