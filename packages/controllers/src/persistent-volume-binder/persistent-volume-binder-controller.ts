import { bindCompleted, type Claim, hasAnnotation, type Volume } from "@coxswain/api";
import {
  type Controller,
  controller,
  done,
  type Lister,
  type ObjectRef,
  type Outcome,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { claimsOf, podIndexes } from "../shared/volumes/pods-by-claim.ts";
import { act as actOnClaim } from "./claims/act.ts";
import { observe as observeClaim } from "./claims/observe.ts";
import { plan as planClaim } from "./claims/plan.ts";
import { act as actOnVolume } from "./volumes/act.ts";
import { observe as observeVolume } from "./volumes/observe.ts";
import { plan as planVolume } from "./volumes/plan.ts";

/**
 * The persistentvolume-binder-controller binds claims and volumes, asks provisioners for volumes, and releases those whose claim is gone.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding
 */
export const persistentVolumeBinderController: BuiltInController = {
  name: "persistentvolume-binder-controller",
  serviceAccount: "persistent-volume-binder",
  aliases: ["persistentvolume-binder"],
  make: () => [claims(), volumes()],
};

const component = "persistentvolume-controller";

/** One at a time: two claims must not choose the same volume. */
const claims = (): Controller =>
  controller({
    name: "persistentvolume-binder-claims",
    component,
    for: persistentVolumeClaims,
    watches: [
      watching(persistentVolumes, (volume, _, { main }) => claimsFor(volume, main() as Lister<Claim>)),
      watching(storageClasses, (_class, _, { main }) => pending(main() as Lister<Claim>)),
      watching(pods, (pod) => claimsOf(pod).map((name) => ({ namespace: pod.metadata?.namespace, name })), {
        indexes: podIndexes,
        // Only Pods that are not scheduled yet are reported in Events of claims, and only their coming and going matters.
        predicate: (change) => change.type !== "updated" || change.object.spec?.nodeName !== change.previous.spec?.nodeName,
      }),
    ],
    reconcile: async (ref, ctx): Promise<Outcome> => {
      const { object: claim } = ctx;
      if (claim === undefined) return done;
      return await actOnClaim(ctx, claim, planClaim(observeClaim(ref, ctx, claim)));
    },
  });

const volumes = (): Controller =>
  controller({
    name: "persistentvolume-binder-volumes",
    component,
    for: persistentVolumes,
    watches: [watching(persistentVolumeClaims, (claim, _, { main }) => volumesFor(claim, main() as Lister<Volume>))],
    reconcile: async (_ref, ctx): Promise<Outcome> => {
      const { object: volume } = ctx;
      if (volume === undefined) return done;
      return await actOnVolume(ctx, volume, planVolume(await observeVolume(ctx, volume)));
    },
  });

/** The one that has it, and, while it is free, all that have none. */
function claimsFor({ metadata, spec }: Volume, all: Lister<Claim>): readonly ObjectRef[] {
  const { namespace, name } = spec?.claimRef ?? {};
  if (name !== undefined) return [{ namespace, name }];
  const bound = all.list().filter((claim) => claim.spec?.volumeName === metadata?.name);
  return [...bound.map(refOf), ...pending(all)];
}

const pending = (all: Lister<Claim>): readonly ObjectRef[] =>
  all
    .list()
    .filter((claim) => !hasAnnotation(claim, bindCompleted))
    .map(refOf);

/** The one that it has, and those that are meant for it. */
function volumesFor({ metadata, spec }: Claim, all: Lister<Volume>): readonly ObjectRef[] {
  const meant = all
    .list()
    .filter(({ spec }) => spec?.claimRef?.name === metadata?.name && spec?.claimRef?.namespace === metadata?.namespace);
  const names = new Set([spec?.volumeName ?? "", ...meant.map((volume) => volume.metadata?.name ?? "")]);
  names.delete("");
  return Array.from(names, (name) => ({ name }));
}

const refOf = ({ metadata }: Claim): ObjectRef => ({ namespace: metadata?.namespace, name: metadata?.name ?? "" });
