/** Claims the revisions and Pods of a StatefulSet, and finds or creates the revision of its template. */
import { controllerRevisions, persistentVolumeClaims, pods, type ReconcileContext, statefulSets } from "@coxswain/client";
import { type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import { claim } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { ControllerRevision } from "../shared/revisions/revision-data.ts";
import { selectorOrNothing } from "../shared/workloads/selector.ts";
import { isMember, type StatefulSet } from "./identity.ts";
import { settleRevisions } from "./revisions.ts";
import type { ObservedSet } from "./set-state.ts";

export async function observe(ctx: ReconcileContext<StatefulSet>, set: StatefulSet): Promise<ObservedSet> {
  const history = await claimRevisions(ctx, set);
  const claimed = await claimPods(ctx, set);
  const revisions = await settleRevisions(ctx, set, history);
  const { namespace } = set.metadata ?? {};
  return {
    set,
    revisions,
    history,
    pods: claimed,
    claimNamed: (name) => ctx.cache(persistentVolumeClaims).get({ namespace, name }),
    // Availability now and the time of the next reconcile are of one moment.
    nowMs: ctx.client.clock.now(),
  };
}

export const selectorOf = ({ spec }: StatefulSet): LabelSelector => selectorOrNothing(spec?.selector);

/** Revisions that the selector does not match are left alone. */
function claimRevisions(ctx: ReconcileContext<StatefulSet>, owner: StatefulSet): Promise<ControllerRevision[]> {
  const { client, signal } = ctx;
  const selector = selectorOf(owner);
  const candidates = ownedAndOrphans(ctx, controllerRevisions).filter(({ metadata }) => selector.matches(metadata?.labels));
  return claim({ client, ref: controllerRevisions, owner, ownerRef: statefulSets, selector, candidates, signal });
}

/** Pods whose names are not of the set are released, whatever their labels. */
async function claimPods(ctx: ReconcileContext<StatefulSet>, owner: StatefulSet): Promise<Pod[]> {
  const { client, signal } = ctx;
  const { true: candidates = [], false: others = [] } = Object.groupBy(ownedAndOrphans(ctx, pods), (pod) => `${isMember(owner, pod)}`);
  const claims = { client, ref: pods, owner, ownerRef: statefulSets, signal };
  await claim({ ...claims, selector: labelSelectorFromObject(undefined), candidates: others });
  return await claim({ ...claims, selector: selectorOf(owner), candidates });
}
