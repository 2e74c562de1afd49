/** Does what a plan says of the Pods and claims of a StatefulSet, and tells of it. */
import {
  isAlreadyExists,
  isConflict,
  isObjectNotFound,
  persistentVolumeClaims,
  pods,
  type ReconcileContext,
  statefulSets,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { hasOtherController, ownersAreRight, rightOwners } from "./claim-owners.ts";
import { claimsOf, nameOf, placeOf, type StatefulSet, storageMatches, type VolumeClaim, withIdentity, withStorage } from "./identity.ts";
import { isOrdered } from "./observe.ts";
import type { PodsPlan, Step } from "./plan.ts";

type Context = Pick<ReconcileContext<StatefulSet>, "client" | "cache" | "events" | "signal">;

export interface Performed {
  /** How many Pods were deleted for the update. */
  readonly replaced: number;
  /** What ended it before its time: the status tells of the rest all the same. */
  readonly failure?: unknown;
}

export async function performPlan(ctx: Context, set: StatefulSet, { phases, updates }: PodsPlan): Promise<Performed> {
  let replaced = 0;
  try {
    for (const phase of phases) await performPhase(ctx, set, phase);
    for (const pod of updates) {
      await remove(ctx, set, pod);
      replaced++;
    }
    return { replaced };
  } catch (failure) {
    return { replaced, failure };
  }
}

async function performPhase(ctx: Context, set: StatefulSet, steps: readonly Step[]): Promise<void> {
  const waiting = steps.values();
  const next = async (): Promise<void> => {
    const step = waiting.next().value;
    if (step !== undefined) await perform(ctx, set, step);
  };
  if (isOrdered(set)) {
    for (const _ of steps) await next();
    return;
  }
  const { error } = await slowStart(steps.length, next);
  if (error !== undefined) throw error;
}

async function perform(ctx: Context, set: StatefulSet, step: Step): Promise<void> {
  switch (step.do) {
    case "create":
      return await create(ctx, set, step.pod);
    case "delete":
      return await remove(ctx, set, step.pod);
    case "completeClaims":
      await createClaims(ctx, set, step.pod);
      return await telling(ctx, set, "Update", step.pod, () => alignClaims(ctx, set, step.pod));
    case "alignClaims":
      return await alignClaims(ctx, set, step.pod);
    case "repair":
      return await repair(ctx, set, step.pod);
  }
}

async function create(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  await telling(ctx, set, "Create", pod, () => createClaims(ctx, set, pod));
  const created = await telling(ctx, set, "Create", pod, () => podsOf(ctx, set).create(pod, { signal: ctx.signal }));
  await telling(ctx, set, "Update", pod, () => alignClaims(ctx, set, created));
  tell(ctx, set, "Create", pod);
}

/** This very Pod: another of its name is another's business. */
async function remove(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const { uid } = pod.metadata ?? {};
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  await telling(ctx, set, "Delete", pod, () =>
    podsOf(ctx, set)
      .delete(nameOf(pod), { ...preconditions, signal: ctx.signal })
      .catch((error: unknown) => {
        if (!isObjectNotFound(error, pods, nameOf(pod)) && !isConflict(error)) throw error;
      }),
  );
  tell(ctx, set, "Delete", pod);
}

async function repair(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const ordinal = placeOf(pod)?.ordinal ?? -1;
  await telling(ctx, set, "Update", pod, async () => {
    if (!storageMatches(set, pod)) await createClaims(ctx, set, pod);
    await alignClaims(ctx, set, pod);
    const identified = withIdentity(set, pod, ordinal);
    const repaired = storageMatches(set, pod) ? identified : withStorage(set, identified, ordinal);
    if (!deepEqual(repaired, pod)) await podsOf(ctx, set).update(repaired, { signal: ctx.signal });
  });
  tell(ctx, set, "Update", pod);
}

/** Those that are missing. @throws Error that names all that could not be created, or are on the way out */
async function createClaims(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const refusals: string[] = [];
  for (const claim of claimsOf(set, pod)) {
    const { namespace, name = "" } = claim.metadata ?? {};
    const existing = ctx.cache(persistentVolumeClaims).get({ namespace, name });
    if (existing?.metadata?.deletionTimestamp !== undefined) refusals.push(`pvc ${name} is being deleted`);
    if (existing !== undefined) continue;
    try {
      await claimsIn(ctx, set).create(claim, { signal: ctx.signal });
      tellOfClaim(ctx, set, pod, name);
    } catch (error) {
      refusals.push(`failed to create PVC ${name}: ${messageOf(error)}`);
      if (!isAlreadyExists(error)) tellOfClaim(ctx, set, pod, name, error);
    }
  }
  if (refusals.length > 0) throw new Error(refusals.length === 1 ? refusals[0] : `[${refusals.join(", ")}]`);
}

async function alignClaims(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  for (const { metadata } of claimsOf(set, pod)) {
    const { namespace, name = "" } = metadata ?? {};
    const claim = ctx.cache(persistentVolumeClaims).get({ namespace, name });
    if (claim !== undefined) await alignClaim(ctx, set, pod, claim);
  }
}

async function alignClaim(ctx: Context, set: StatefulSet, pod: Pod, claim: VolumeClaim): Promise<void> {
  const { name } = claim.metadata ?? {};
  if (hasOtherController(claim, set, pod)) {
    const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
    ctx.events.record(set, { type: "Warning", reason: "ConflictingController", message }, statefulSets);
  }
  if (ownersAreRight(claim, set, pod)) return;
  const ownerReferences = rightOwners(claim, set, pod);
  try {
    await claimsIn(ctx, set).update({ ...claim, metadata: { ...claim.metadata, ownerReferences } }, { signal: ctx.signal });
  } catch (error) {
    if (isConflict(error)) throw error;
    throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`, { cause: error });
  }
}

type Verb = "Create" | "Update" | "Delete";

/** A conflict, or somebody else's Pod of the name, is no news: the next look decides. */
async function telling<T>(ctx: Context, set: StatefulSet, verb: Verb, pod: Pod, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error) && !isAlreadyExists(error)) tell(ctx, set, verb, pod, error);
    throw error;
  }
}

function tell({ events }: Context, set: StatefulSet, verb: Verb, pod: Pod, error?: unknown): void {
  const about = `${verb} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
  if (error === undefined)
    events.record(set, { type: "Normal", reason: `Successful${verb}`, message: `${about} successful` }, statefulSets);
  else
    events.record(set, { type: "Warning", reason: `Failed${verb}`, message: `${about} failed error: ${messageOf(error)}` }, statefulSets);
}

function tellOfClaim({ events }: Context, set: StatefulSet, pod: Pod, claim: string, error?: unknown): void {
  const whose = `Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
  const event =
    error === undefined
      ? ({ type: "Normal", reason: "SuccessfulCreate", message: `Create Claim ${claim} ${whose} success` } as const)
      : ({
          type: "Warning",
          reason: "FailedCreate",
          message: `Create Claim ${claim} for ${whose} failed error: ${messageOf(error)}`,
        } as const);
  events.record(set, event, statefulSets);
}

const podsOf = ({ client }: Context, { metadata }: StatefulSet) => client.resource(pods, metadata?.namespace);

const claimsIn = ({ client }: Context, { metadata }: StatefulSet) => client.resource(persistentVolumeClaims, metadata?.namespace);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
