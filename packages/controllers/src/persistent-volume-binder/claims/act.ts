import { type Claim, type Volume, volumeBoundTo, withAnnotation } from "@coxswain/api";
import {
  done,
  type KubeObject,
  type Lister,
  type ObjectRef,
  type Outcome,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type ReconcileContext,
  type RecordedEvent,
  requeue,
  storageClasses,
  unlessNotFound,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { podsByClaim } from "../../shared/volumes/pods-by-claim.ts";
import { boundStatus, claimBoundTo, unboundStatus } from "../binding.ts";
import { planClaim } from "./plan.ts";

/** What waits is told so again; kube-controller-manager's period. */
const againMs = 15_000;

/** The newer is for provisioners of today, the older for those that are not. */
const provisionerAnnotations = ["volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner"];

export async function reconcileClaim(ref: ObjectRef, ctx: ReconcileContext<Claim>): Promise<Outcome> {
  const { object: claim, cache } = ctx;
  if (claim === undefined) return done;
  const volumes = cache(persistentVolumes);
  const plan = planClaim(claim, {
    volumes: () => volumes.list(),
    volume: (name) => volumes.get({ name }),
    storageClass: (name) => cache(storageClasses).get({ name }),
    storageClasses: () => cache(storageClasses).list(),
    pods: () => usersOf(ref, cache(pods)),
  });
  switch (plan.do) {
    case "bind":
      await bind(plan.volume, claim, ctx);
      return done;
    case "wait":
      tell(claim, plan.event, ctx);
      await writeStatus(claim, unboundStatus(claim, "Pending"), ctx);
      return requeue(againMs);
    case "lose":
      // Of two watches one may be behind, and what is told here frightens.
      if (claim.status?.phase !== "Lost" && (await isThere(plan.missing, ctx))) return requeue(againMs);
      if (claim.status?.phase !== "Lost") tell(claim, plan.event, ctx);
      await writeStatus(claim, unboundStatus(claim, "Lost"), ctx);
      return done;
    case "provision": {
      const asked = provisionerAnnotations.reduce((one, name) => withAnnotation(one, name, plan.provisioner), claim);
      if (!deepEqual(asked, claim)) await update(asked, ctx);
      tell(claim, plan.event, ctx);
      return requeue(againMs);
    }
    case "classify":
      await update({ ...claim, spec: { ...claim.spec, storageClassName: plan.storageClassName } }, ctx);
      return done;
  }
}

async function isThere(name: string | undefined, { client, signal }: ReconcileContext<Claim>): Promise<boolean> {
  if (name === undefined) return false;
  const volume = client.resource(persistentVolumes).get(name, { signal });
  return (await unlessNotFound(volume, persistentVolumes, name)) !== undefined;
}

const usersOf = <T extends KubeObject>({ namespace, name }: ObjectRef, lister: Lister<T>): readonly T[] =>
  lister.byIndex(podsByClaim, `${namespace}/${name}`);

/** Each step finds what the one before has left; whoever is interrupted goes on where it was. */
async function bind(volume: Volume, claim: Claim, ctx: ReconcileContext<Claim>): Promise<void> {
  const { client, signal } = ctx;
  const resource = client.resource(persistentVolumes);
  const wanted = volumeBoundTo(volume, claim);
  const bound = wanted === volume ? volume : await resource.update(wanted, { signal });
  if (bound.status?.phase !== "Bound") {
    const { message: _, reason: __, ...status } = bound.status ?? {};
    await resource.updateStatus({ ...bound, status: { ...status, phase: "Bound" } }, { signal });
  }
  const next = claimBoundTo(claim, bound);
  const named = next === claim ? claim : await update(next, ctx);
  await writeStatus(named, boundStatus(named, bound), ctx);
}

const update = (claim: Claim, { client, signal }: ReconcileContext<Claim>): Promise<Claim> =>
  client.resource(persistentVolumeClaims, claim.metadata?.namespace).update(claim, { signal });

async function writeStatus(claim: Claim, status: NonNullable<Claim["status"]>, { client, signal }: ReconcileContext<Claim>): Promise<void> {
  if (deepEqual(status, claim.status)) return;
  await client.resource(persistentVolumeClaims, claim.metadata?.namespace).updateStatus({ ...claim, status }, { signal });
}

function tell(claim: Claim, event: RecordedEvent | undefined, { events }: ReconcileContext<Claim>): void {
  if (event !== undefined) events.record(claim, event, persistentVolumeClaims);
}
