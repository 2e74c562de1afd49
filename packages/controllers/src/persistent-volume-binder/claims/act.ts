import { type Claim, type Volume, volumeBoundTo, withAnnotation } from "@coxswain/api";
import {
  done,
  type Outcome,
  persistentVolumeClaims,
  persistentVolumes,
  type ReconcileContext,
  type RecordedEvent,
  requeue,
  unlessNotFound,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { boundStatus, claimBoundTo, unboundStatus } from "../binding.ts";
import type { ClaimPlan } from "./plan.ts";

/** How long until a claim that waits is reconciled again; kube-controller-manager's period. */
const retryMs = 15_000;

/** The newer is for provisioners of today, the older for those that are not. */
const provisionerAnnotations = ["volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner"];

export async function act(ctx: ReconcileContext<Claim>, claim: Claim, planned: ClaimPlan): Promise<Outcome> {
  switch (planned.do) {
    case "bind":
      await bind(planned.volume, claim, ctx);
      return done;
    case "wait":
      record(claim, planned.event, ctx);
      await writeStatus(claim, unboundStatus(claim, "Pending"), ctx);
      return requeue(retryMs);
    case "lose":
      // The watch of volumes may be behind, and this Event says that data is lost.
      if (claim.status?.phase !== "Lost" && (await exists(planned.missing, ctx))) return requeue(retryMs);
      if (claim.status?.phase !== "Lost") record(claim, planned.event, ctx);
      await writeStatus(claim, unboundStatus(claim, "Lost"), ctx);
      return done;
    case "provision": {
      const annotated = provisionerAnnotations.reduce((one, name) => withAnnotation(one, name, planned.provisioner), claim);
      if (!deepEqual(annotated, claim)) await update(annotated, ctx);
      record(claim, planned.event, ctx);
      return requeue(retryMs);
    }
    case "classify":
      await update({ ...claim, spec: { ...claim.spec, storageClassName: planned.storageClassName } }, ctx);
      return done;
  }
}

async function exists(name: string | undefined, { client, signal }: ReconcileContext<Claim>): Promise<boolean> {
  if (name === undefined) return false;
  const volume = client.resource(persistentVolumes).get(name, { signal });
  return (await unlessNotFound(volume, persistentVolumes, name)) !== undefined;
}

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

function record(claim: Claim, event: RecordedEvent | undefined, { events }: ReconcileContext<Claim>): void {
  if (event !== undefined) events.record(claim, event, persistentVolumeClaims);
}
