import type { api } from "@coxswain/client";
import {
  controller,
  done,
  isBeingDeleted,
  type Outcome,
  persistentVolumeClaims,
  persistentVolumes,
  type ReconcileContext,
  volumeAttributesClasses,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { type FinalizerPlan, type ProtectedObject, planFinalizer } from "../shared/volumes/plan-finalizer.ts";
import { writeFinalizer } from "../shared/volumes/write-finalizer.ts";

type AttributesClass = api.storageV1.VolumeAttributesClass;

/** The volumeattributesclass-protection-controller keeps a deleted VolumeAttributesClass until no claim and no volume has it, wants it or changes to it. */
export const volumeAttributesClassProtectionController: BuiltInController = {
  name: "volumeattributesclass-protection-controller",
  serviceAccount: "volumeattributesclass-protection-controller",
  make: () => [
    controller({
      name: "volumeattributesclass-protection-controller",
      for: volumeAttributesClasses,
      watches: [
        watching(persistentVolumeClaims, (claim) => classesOfClaim(claim).map((name) => ({ name })), {
          indexes: { [byAttributesClass]: (claim) => classesOfClaim(claim) },
        }),
        watching(persistentVolumes, (volume) => classesOfVolume(volume).map((name) => ({ name })), {
          indexes: { [byAttributesClass]: (volume) => classesOfVolume(volume) },
        }),
      ],
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        if (ctx.object !== undefined) await act(ctx, ctx.object, plan(observe(ctx, ctx.object)));
        return done;
      },
    }),
  ],
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

function observe({ cache }: ReconcileContext<AttributesClass>, object: AttributesClass): ProtectedObject {
  if (!isBeingDeleted(object)) return { isBeingDeleted: false, isUsed: false };
  const name = object.metadata?.name ?? "";
  const users = [cache(persistentVolumes), cache(persistentVolumeClaims)];
  return { isBeingDeleted: true, isUsed: users.some((lister) => lister.byIndex(byAttributesClass, name).length > 0) };
}

const plan = planFinalizer;

async function act({ client, signal }: ReconcileContext<AttributesClass>, object: AttributesClass, planned: FinalizerPlan): Promise<void> {
  const resource = client.resource(volumeAttributesClasses);
  await writeFinalizer(resource, object, { finalizer, planned, signal });
}
