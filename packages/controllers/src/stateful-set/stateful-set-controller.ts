import {
  type Change,
  controller,
  controllerRevisions,
  done,
  type ObjectRef,
  type Outcome,
  persistentVolumeClaims,
  pods,
  type ReconcileContext,
  type SourceSetting,
  statefulSets,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { adoptable, orphans } from "../shared/pods/orphans.ts";
import { act } from "./act.ts";
import { nameOf, type StatefulSet, type VolumeClaim } from "./identity.ts";
import { observe, selectorOf } from "./observe.ts";
import { plan } from "./plan.ts";

/**
 * The statefulset-controller keeps Pods that have ordinal names and claims of their own.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 */
export const statefulSetController: BuiltInController = {
  name: "statefulset-controller",
  serviceAccount: "statefulset-controller",
  aliases: ["statefulset"],
  make: () => [
    controller<StatefulSet>({
      name: "statefulset-controller",
      component: "statefulset-controller",
      for: statefulSets,
      owns: [pods],
      watches: [
        adoptable<StatefulSet>(pods, selectorOf),
        // Revisions cause no reconcile: they are read with the next one.
        watching(controllerRevisions, () => [], { indexes: orphans }),
        watching(persistentVolumeClaims, setsOfClaim),
      ],
      concurrency: 5,
      reconcile: (_ref, ctx) => reconcile(ctx),
    }),
  ],
};

/** A Pod is not created as long as a claim of its name is being deleted. */
function setsOfClaim({ metadata }: VolumeClaim, { type }: Change<VolumeClaim>, { main }: SourceSetting): readonly ObjectRef[] {
  const { namespace, name = "" } = metadata ?? {};
  if (type !== "deleted" || namespace === undefined) return [];
  const sets: StatefulSet[] = main().list({ namespace });
  const isOfSet = (set: StatefulSet): boolean =>
    set.spec?.volumeClaimTemplates?.some((template) => name.startsWith(`${template.metadata?.name}-${nameOf(set)}-`)) === true;
  return sets.filter(isOfSet).map((set) => ({ namespace, name: nameOf(set) }));
}

async function reconcile(ctx: ReconcileContext<StatefulSet>): Promise<Outcome> {
  const { object: set } = ctx;
  if (set === undefined) return done;
  const observed = await observe(ctx, set);
  return await act(ctx, observed, plan(observed));
}
