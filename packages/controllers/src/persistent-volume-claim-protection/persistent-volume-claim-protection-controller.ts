import type { api } from "@coxswain/client";
import {
  controller,
  done,
  isBeingDeleted,
  type Outcome,
  persistentVolumeClaims,
  pods,
  type ReconcileContext,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { type FinalizerPlan, type ProtectedObject, planFinalizer } from "../shared/volumes/plan-finalizer.ts";
import { claimsOf, podIndexes, podsByClaim } from "../shared/volumes/pods-by-claim.ts";
import { writeFinalizer } from "../shared/volumes/write-finalizer.ts";
import { isShutDown, usesClaim } from "./uses-claim.ts";

type Claim = api.coreV1.PersistentVolumeClaim;

const finalizer = "kubernetes.io/pvc-protection";

/**
 * The persistentvolumeclaim-protection-controller keeps a deleted PersistentVolumeClaim until no Pod uses it.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export const claimProtectionController: BuiltInController = {
  name: "persistentvolumeclaim-protection-controller",
  serviceAccount: "pvc-protection-controller",
  aliases: ["pvc-protection"],
  make: () => [
    controller({
      name: "persistentvolumeclaim-protection-controller",
      for: persistentVolumeClaims,
      watches: [
        watching(pods, (pod) => claimsOf(pod).map((name) => ({ namespace: pod.metadata?.namespace, name })), {
          indexes: podIndexes,
          predicate: (change) => change.type !== "updated" || isShutDown(change.object) !== isShutDown(change.previous),
        }),
      ],
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        if (ctx.object !== undefined) await act(ctx, ctx.object, plan(await observe(ctx, ctx.object)));
        return done;
      },
    }),
  ],
};

async function observe(ctx: ReconcileContext<Claim>, claim: Claim): Promise<ProtectedObject> {
  if (!isBeingDeleted(claim)) return { isBeingDeleted: false, isUsed: false };
  const isProtected = claim.metadata?.finalizers?.includes(finalizer) === true;
  return { isBeingDeleted: true, isUsed: !isProtected || (await isUsed(ctx, claim)) };
}

async function isUsed({ cache, client, signal }: ReconcileContext<Claim>, claim: Claim): Promise<boolean> {
  const { namespace, name } = claim.metadata ?? {};
  const cached = cache(pods).byIndex(podsByClaim, `${namespace}/${name}`);
  if (cached.some((pod) => usesClaim(pod, claim))) return true;
  // Pods that the cache does not show yet count as well.
  const { items } = await client.resource(pods, namespace).list({ signal });
  return items.some((pod) => usesClaim(pod, claim));
}

const plan = planFinalizer;

async function act({ client, signal }: ReconcileContext<Claim>, claim: Claim, planned: FinalizerPlan): Promise<void> {
  const resource = client.resource(persistentVolumeClaims, claim.metadata?.namespace);
  await writeFinalizer(resource, claim, { finalizer, planned, signal });
}
