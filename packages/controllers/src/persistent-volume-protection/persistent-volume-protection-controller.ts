import type { api } from "@coxswain/client";
import { controller, done, isBeingDeleted, type Outcome, persistentVolumes, type ReconcileContext } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { type FinalizerPlan, type ProtectedObject, planFinalizer } from "../shared/volumes/plan-finalizer.ts";
import { writeFinalizer } from "../shared/volumes/write-finalizer.ts";

type Volume = api.coreV1.PersistentVolume;

const finalizer = "kubernetes.io/pv-protection";

/**
 * The persistentvolume-protection-controller keeps a deleted PersistentVolume until no claim is bound to it.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export const volumeProtectionController: BuiltInController = {
  name: "persistentvolume-protection-controller",
  serviceAccount: "pv-protection-controller",
  aliases: ["pv-protection"],
  make: () => [
    controller({
      name: "persistentvolume-protection-controller",
      for: persistentVolumes,
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        if (ctx.object !== undefined) await act(ctx, ctx.object, plan(observe(ctx.object)));
        return done;
      },
    }),
  ],
};

const observe = (volume: Volume): ProtectedObject => ({
  isBeingDeleted: isBeingDeleted(volume),
  isUsed: volume.status?.phase === "Bound",
});

const plan = planFinalizer;

async function act({ client, signal }: ReconcileContext<Volume>, volume: Volume, planned: FinalizerPlan): Promise<void> {
  const resource = client.resource(persistentVolumes);
  await writeFinalizer(resource, volume, { finalizer, planned, signal });
}
