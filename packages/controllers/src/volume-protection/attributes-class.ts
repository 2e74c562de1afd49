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
  type ReconcileContext,
  releaseFinalizer,
  volumeAttributesClasses,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";

/** A class of volume attributes that is deleted stays until no claim and no volume has it, wants it, or is on the way to it. */
export const volumeAttributesClassProtectionController: BuiltInController = {
  name: "volumeattributesclass-protection-controller",
  make: () => [attributesClassProtection()],
};

const finalizer = "kubernetes.io/vac-protection";
const byAttributesClass = "volume-attributes-classes";

const classesOfClaim = ({ spec, status }: api.coreV1.PersistentVolumeClaim): readonly string[] =>
  namesIn([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);

const classesOfVolume = ({ spec }: api.coreV1.PersistentVolume): readonly string[] => namesIn([spec?.volumeAttributesClassName]);

const namesIn = (names: readonly (string | undefined)[]): readonly string[] => [...new Set(names.filter((name) => name !== undefined))];

const attributesClassProtection = (): Controller =>
  controller({
    name: "volumeattributesclass-protection-controller",
    for: volumeAttributesClasses,
    watches: [
      watching(persistentVolumeClaims, (claim) => classesOfClaim(claim).map((name) => ({ name })), {
        indexes: { [byAttributesClass]: classesOfClaim },
      }),
      watching(persistentVolumes, (volume) => classesOfVolume(volume).map((name) => ({ name })), {
        indexes: { [byAttributesClass]: classesOfVolume },
      }),
    ],
    reconcile: (_ref, ctx) => protectAttributesClass(ctx),
  });

async function protectAttributesClass(ctx: ReconcileContext<api.storageV1.VolumeAttributesClass>): Promise<Outcome> {
  const { object, cache, client, signal } = ctx;
  if (object === undefined) return done;
  const resource = client.resource(volumeAttributesClasses);
  const name = object.metadata?.name ?? "";
  const isUsed = (): boolean =>
    cache(persistentVolumes).byIndex(byAttributesClass, name).length > 0 ||
    cache(persistentVolumeClaims).byIndex(byAttributesClass, name).length > 0;
  if (!isBeingDeleted(object)) await ensureFinalizer(resource, object, finalizer, { signal });
  else if (!isUsed()) await releaseFinalizer(resource, object, finalizer, { signal });
  return done;
}
