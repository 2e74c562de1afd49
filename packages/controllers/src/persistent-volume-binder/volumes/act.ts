import type { Claim, Volume } from "@coxswain/api";
import { done, type Outcome, persistentVolumeClaims, persistentVolumes, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import { unboundVolume } from "../binding.ts";
import { planVolume } from "./plan.ts";

export async function reconcileVolume(ctx: ReconcileContext<Volume>): Promise<Outcome> {
  const { object: volume, client, events, signal } = ctx;
  if (volume === undefined) return done;
  const resource = client.resource(persistentVolumes);
  const plan = planVolume(volume, await claimOf(volume, ctx));
  const write = (status: NonNullable<Volume["status"]>) => resource.updateStatus({ ...volume, status }, { signal });
  switch (plan.do) {
    case "nothing":
      return done;
    case "mark":
      if (volume.status?.phase !== plan.phase) {
        const { message: _, reason: __, ...status } = volume.status ?? {};
        await write({ ...status, phase: plan.phase });
      }
      return done;
    case "unbind":
      await resource.update(unboundVolume(volume), { signal });
      return done;
    case "fail":
      events.record(volume, plan.event, persistentVolumes);
      await write({ ...volume.status, phase: "Failed", message: plan.event.message });
      return done;
    case "refuse":
      events.record(volume, plan.ofVolume, persistentVolumes);
      events.record(plan.claim, plan.ofClaim, persistentVolumeClaims);
      return done;
  }
}

/** The very claim that the volume names. Before it counts as gone the server is asked: what was on the volume may be lost by that. */
async function claimOf({ spec, status }: Volume, { cache, client, signal }: ReconcileContext<Volume>): Promise<Claim | undefined> {
  const { namespace, name = "", uid } = spec?.claimRef ?? {};
  if (uid === undefined || uid === "") return undefined;
  const known = cache(persistentVolumeClaims).get({ namespace, name });
  if (known?.metadata?.uid === uid) return known;
  if (status?.phase === "Released" || status?.phase === "Failed") return undefined;
  const claim = client.resource(persistentVolumeClaims, namespace).get(name, { signal });
  const found = await unlessNotFound(claim, persistentVolumeClaims, name);
  return found?.metadata?.uid === uid ? found : undefined;
}
