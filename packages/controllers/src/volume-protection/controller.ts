import type { api } from "@coxswain/client";
import {
  type Controller,
  controller,
  done,
  ensureFinalizer,
  isBeingDeleted,
  type Outcome,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type ReconcileContext,
  releaseFinalizer,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";
import { claimsOf, podIndexes, podsByClaim } from "../persistent-volume-binder/pods-by-claim.ts";
import { isShutDown, usesClaim } from "./uses-claim.ts";

type Claim = api.coreV1.PersistentVolumeClaim;
type Volume = api.coreV1.PersistentVolume;

/** A claim that is deleted stays until no Pod uses it. */
export const claimProtectionController: BuiltInController = {
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  make: () => [claimProtection()],
};

/** A volume that is deleted stays until no claim has it. */
export const volumeProtectionController: BuiltInController = {
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  make: () => [volumeProtection()],
};

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";

const claimProtection = (): Controller =>
  controller({
    name: "persistentvolumeclaim-protection-controller",
    for: persistentVolumeClaims,
    watches: [
      watching(pods, (pod) => claimsOf(pod).map((name) => ({ namespace: pod.metadata?.namespace, name })), {
        indexes: podIndexes,
        predicate: (change) => change.type !== "updated" || isShutDown(change.object) !== isShutDown(change.previous),
      }),
    ],
    reconcile: (_ref, ctx) => protectClaim(ctx),
  });

async function protectClaim({ object: claim, cache, client, signal }: ReconcileContext<Claim>): Promise<Outcome> {
  if (claim === undefined) return done;
  const { namespace, name } = claim.metadata ?? {};
  const resource = client.resource(persistentVolumeClaims, namespace);
  if (!isBeingDeleted(claim)) {
    await ensureFinalizer(resource, claim, claimFinalizer, { signal });
    return done;
  }
  if (claim.metadata?.finalizers?.includes(claimFinalizer) !== true) return done;
  if (
    cache(pods)
      .byIndex(podsByClaim, `${namespace}/${name}`)
      .some((pod) => usesClaim(pod, claim))
  )
    return done;
  // Pods that the copy here does not show yet count as well.
  const { items } = await client.resource(pods, namespace).list({ signal });
  if (!items.some((pod) => usesClaim(pod, claim))) await releaseFinalizer(resource, claim, claimFinalizer, { signal });
  return done;
}

const volumeProtection = (): Controller =>
  controller({
    name: "persistentvolume-protection-controller",
    for: persistentVolumes,
    reconcile: (_ref, ctx) => protectVolume(ctx),
  });

async function protectVolume({ object: volume, client, signal }: ReconcileContext<Volume>): Promise<Outcome> {
  if (volume === undefined) return done;
  const resource = client.resource(persistentVolumes);
  if (!isBeingDeleted(volume)) await ensureFinalizer(resource, volume, volumeFinalizer, { signal });
  else if (volume.status?.phase !== "Bound") await releaseFinalizer(resource, volume, volumeFinalizer, { signal });
  return done;
}
