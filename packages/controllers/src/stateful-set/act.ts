/** Does what the plan says of the Pods and claims of a StatefulSet, and records Events of it. */
import {
  done,
  isAlreadyExists,
  isConflict,
  isObjectNotFound,
  type Outcome,
  persistentVolumeClaims,
  pods,
  type ReconcileContext,
  requeue,
  statefulSets,
} from "@coxswain/client";
import { deepEqual, messageOf } from "@coxswain/machinery";
import { nextAvailabilityMs, type Pod } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { hasOtherController, ownersAreRight, rightOwners } from "./claim-owners.ts";
import { claimsOf, nameOf, placeOf, type StatefulSet, storageMatches, type VolumeClaim, withIdentity, withStorage } from "./identity.ts";
import type { PodsPlan, Step } from "./plan.ts";
import { truncateHistory } from "./revisions.ts";
import { isOrdered, type ObservedSet } from "./set-state.ts";
import { nextStatus } from "./status.ts";

type Context = Pick<ReconcileContext<StatefulSet>, "client" | "cache" | "events" | "signal">;

/** Acts on Pods and claims, writes the status, and truncates the history. @throws what acting on Pods failed with, after the status */
export async function act(ctx: ReconcileContext<StatefulSet>, observed: ObservedSet, planned: PodsPlan): Promise<Outcome> {
  const { set, pods, nowMs } = observed;
  const { replaced, failure } = await actOnPods(ctx, set, planned);
  await writeStatus(ctx, observed, replaced);
  await truncateHistory(ctx, observed);
  if (failure !== undefined) throw failure;
  const afterMs = nextAvailabilityMs(pods, set.spec?.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? done : requeue(afterMs);
}

interface PodsOutcome {
  /** How many Pods were deleted for the update. */
  readonly replaced: number;
  /** The first error: the status reports the rest all the same. */
  readonly failure?: unknown;
}

async function actOnPods(ctx: Context, set: StatefulSet, { phases, updates }: PodsPlan): Promise<PodsOutcome> {
  let replaced = 0;
  try {
    for (const phase of phases) await actOnPhase(ctx, set, phase);
    for (const pod of updates) {
      await remove(ctx, set, pod);
      replaced++;
    }
    return { replaced };
  } catch (failure) {
    return { replaced, failure };
  }
}

async function actOnPhase(ctx: Context, set: StatefulSet, steps: readonly Step[]): Promise<void> {
  const waiting = steps.values();
  const next = async (): Promise<void> => {
    const step = waiting.next().value;
    if (step !== undefined) await actOnStep(ctx, set, step);
  };
  if (isOrdered(set)) {
    for (const _ of steps) await next();
    return;
  }
  const { error } = await slowStart(steps.length, next);
  if (error !== undefined) throw error;
}

async function actOnStep(ctx: Context, set: StatefulSet, step: Step): Promise<void> {
  switch (step.do) {
    case "create":
      return await create(ctx, set, step.pod);
    case "delete":
      return await remove(ctx, set, step.pod);
    case "completeClaims":
      await createClaims(ctx, set, step.pod);
      return await recordingFailure(ctx, { set, verb: "Update", pod: step.pod }, () => alignClaims(ctx, set, step.pod));
    case "alignClaims":
      return await alignClaims(ctx, set, step.pod);
    case "repair":
      return await repair(ctx, set, step.pod);
  }
}

async function create(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  await recordingFailure(ctx, { set, verb: "Create", pod }, () => createClaims(ctx, set, pod));
  const created = await recordingFailure(ctx, { set, verb: "Create", pod }, () => podsOf(ctx, set).create(pod, { signal: ctx.signal }));
  await recordingFailure(ctx, { set, verb: "Update", pod }, () => alignClaims(ctx, set, created));
  recordPodEvent(ctx, { set, verb: "Create", pod });
}

/** The Pod with this uid, and no other of its name. */
async function remove(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const { uid } = pod.metadata ?? {};
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  await recordingFailure(ctx, { set, verb: "Delete", pod }, () =>
    podsOf(ctx, set)
      .delete(nameOf(pod), { ...preconditions, signal: ctx.signal })
      .catch((error: unknown) => {
        if (!isObjectNotFound(error, pods, nameOf(pod)) && !isConflict(error)) throw error;
      }),
  );
  recordPodEvent(ctx, { set, verb: "Delete", pod });
}

async function repair(ctx: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const ordinal = placeOf(pod)?.ordinal ?? -1;
  await recordingFailure(ctx, { set, verb: "Update", pod }, async () => {
    if (!storageMatches(set, pod)) await createClaims(ctx, set, pod);
    await alignClaims(ctx, set, pod);
    const identified = withIdentity(set, pod, ordinal);
    const repaired = storageMatches(set, pod) ? identified : withStorage(set, identified, ordinal);
    if (!deepEqual(repaired, pod)) await podsOf(ctx, set).update(repaired, { signal: ctx.signal });
  });
  recordPodEvent(ctx, { set, verb: "Update", pod });
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
      recordClaimEvent(ctx, { set, pod, claim: name });
    } catch (error) {
      refusals.push(`failed to create PVC ${name}: ${messageOf(error)}`);
      if (!isAlreadyExists(error)) recordClaimEvent(ctx, { set, pod, claim: name }, error);
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

interface PodAction {
  readonly set: StatefulSet;
  readonly verb: "Create" | "Update" | "Delete";
  readonly pod: Pod;
}

interface ClaimAction {
  readonly set: StatefulSet;
  readonly pod: Pod;
  /** Its name. */
  readonly claim: string;
}

/** Records no Event of a conflict, nor of another's Pod of the name: the next reconcile decides. */
async function recordingFailure<T>(ctx: Context, subject: PodAction, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error) && !isAlreadyExists(error)) recordPodEvent(ctx, subject, error);
    throw error;
  }
}

function recordPodEvent({ events }: Context, { set, verb, pod }: PodAction, error?: unknown): void {
  const about = `${verb} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
  if (error === undefined)
    events.record(set, { type: "Normal", reason: `Successful${verb}`, message: `${about} successful` }, statefulSets);
  else
    events.record(set, { type: "Warning", reason: `Failed${verb}`, message: `${about} failed error: ${messageOf(error)}` }, statefulSets);
}

function recordClaimEvent({ events }: Context, { set, pod, claim }: ClaimAction, error?: unknown): void {
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

async function writeStatus({ client, signal }: Context, observed: ObservedSet, replaced: number): Promise<void> {
  const { set } = observed;
  const status = nextStatus(observed, replaced);
  if (status !== undefined) await client.resource(statefulSets, set.metadata?.namespace).updateStatus({ ...set, status }, { signal });
}
