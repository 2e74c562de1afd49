/**
 * Evicting a Pod: a delete that asks the disruption budgets first.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */

import { badRequest, field, invalid, isConflict, type KubeObject, notFound, type Status, unexplained } from "@coxswain/machinery";
import { auditRequestObject } from "../../../audit/request-object.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { checkDeleteOptions, type GivenDeleteOptions } from "../../../negotiation/delete-options.ts";
import { settleNamespace } from "../../../registry/metadata.ts";
import { checkPreconditions } from "../../../registry/preconditions.ts";
import { type DeleteOptions, parseWriteOptions } from "../../../request/options.ts";
import { replyStatus } from "../../../responsewriters/encode.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import { keyOf, servedSubresource } from "../../../storage/served-resource.ts";
import { admitSubresource } from "../../admit-subresource.ts";
import { checkAndDecrement, stillProcessed } from "../../policy/pod-disruption-budget/check-and-decrement.ts";
import type { EffectServices } from "../../services.ts";
import { setCondition } from "./pod-condition.ts";

interface Eviction extends KubeObject {
  readonly deleteOptions?: GivenDeleteOptions;
}

const attempts = 20;

type EvictionServices = Pick<EffectServices, "reader" | "registry" | "rest" | "admission" | "clock">;

export const podEviction: SubresourceEffect<EvictionServices> = {
  on: "/pods/eviction",
  answers: "result",
  create: (services) => (ctx) => evictPod(services, ctx),
};

const evictionResource = servedSubresource({
  group: "policy",
  version: "v1",
  resource: "evictions",
  kind: "Eviction",
  alsoIn: ["policy/v1beta1"],
});

/** POST of an Eviction to `/pods/NAME/eviction`. @throws 429 when a budget forbids it now */
async function evictPod(services: EvictionServices, ctx: RequestContext): Promise<Reply> {
  const { info } = ctx;
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const eviction: Eviction = await services.rest.decoder.decode(ctx, evictionResource, options.fieldValidation);
  auditRequestObject(ctx.audit, eviction);
  settleNamespace(eviction, ctx.resource, info.namespace);
  if (eviction.metadata?.name !== info.name) throw badRequest("name in URL does not match name in Eviction object");
  const deletion = deletionOf(info.name, eviction.deleteOptions ?? {}, options.dryRun);
  await admitSubresource(services.admission, ctx, eviction, options.dryRun);
  for (let attempt = 1; !(await evicted(services, ctx, deletion, attempt === attempts)); attempt++);
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return replyStatus(status, ctx.representation);
}

/** What is to become of the Pod. That the other options make sense is seen last, as the budget is already spent and the Pod marked. */
interface Deletion extends Pick<DeleteOptions, "dryRun" | "preconditions"> {
  readonly given: GivenDeleteOptions;
}

/** @throws invalid() on the Eviction; a 500 when request and content do not agree on a dry run */
function deletionOf(name: string, given: GivenDeleteOptions, tried: boolean): Deletion {
  if (given.ignoreStoreReadErrorWithClusterBreakingPotential) {
    const why = "can not be set for pod eviction, try after removing the option";
    const path = "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential";
    throw invalid({ group: "policy", kind: "Eviction" }, name, [field.invalid(path, true, why)]);
  }
  const dryRun = given.dryRun ?? [];
  if (tried && dryRun.length > 0 && dryRun.join() !== "All") {
    throw unexplained(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(" ")}]`);
  }
  return { given, dryRun: tried || dryRun.length > 0, preconditions: given.preconditions ?? {} };
}

/**
 * Whoever judged a Pod unready, or not yet running, deletes it only as it was then. False when a Pod that needed no budget
 * has changed meanwhile: it may need one now.
 */
async function evicted(services: EvictionServices, ctx: RequestContext, asked: Deletion, last: boolean): Promise<boolean> {
  const { resource, info } = ctx;
  const { store, cache } = services.reader;
  const { entry } = await store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.groupResource, info.name);
  const pod = cache.objectOf(entry);
  const ignored = ignoresBudgets(pod);
  const answer = ignored ? undefined : await checkAndDecrement(services, ctx, entry, asked.dryRun);
  const guessed = ignored ? isPending(pod) : answer?.spent === false;
  const pinned = guessed && asked.preconditions.resourceVersion === undefined;
  const resourceVersion = String(entry.modified);
  const options = pinned ? { ...asked, preconditions: { ...asked.preconditions, resourceVersion } } : asked;
  try {
    await markAndDelete(services, ctx, options);
    return true;
  } catch (error) {
    if (!isConflict(error) || !pinned) throw error;
    if (answer !== undefined) throw stillProcessed(answer.budget);
    if (last) throw error;
    return false;
  }
}

const phaseOf = (pod: Readonly<KubeObject>): string | undefined => ((pod.status ?? {}) as { phase?: string }).phase;

/** Pods that do not run count for no budget. */
function ignoresBudgets(pod: Readonly<KubeObject>): boolean {
  const phase = phaseOf(pod);
  return phase === "Pending" || phase === "Succeeded" || phase === "Failed" || pod.metadata?.deletionTimestamp !== undefined;
}

const isPending = (pod: Readonly<KubeObject>): boolean => phaseOf(pod) === "Pending" && pod.metadata?.deletionTimestamp === undefined;

/** The condition reports to controllers that the Pod did not fail by itself. */
async function markAndDelete({ registry, rest, clock }: EvictionServices, ctx: RequestContext, options: Deletion): Promise<void> {
  const { info, resource } = ctx;
  let { preconditions } = options;
  if (!options.dryRun) {
    const outcome = await registry.update(ctx, info.name, {
      part: "free",
      admitted: "nothing",
      // Kubernetes writes this condition without field management: it has no manager.
      managed: (before) => before,
      dryRun: false,
      next: (current) => {
        checkPreconditions(resource, info.name, current, options);
        const pod = cloneJson(current as KubeObject);
        const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
        setCondition(pod, condition, clock.now());
        return pod;
      },
    });
    const { resourceVersion } = (await rest.responses.objectOf(ctx, outcome)).metadata ?? {};
    if (preconditions.resourceVersion !== undefined && resourceVersion !== undefined) preconditions = { ...preconditions, resourceVersion };
  }
  await registry.delete(ctx, info.namespace, info.name, {
    ...checkDeleteOptions(options.given),
    dryRun: options.dryRun,
    preconditions,
    admitted: true,
  });
}
