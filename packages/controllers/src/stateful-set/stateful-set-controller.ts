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
  requeue,
  type SourceSetting,
  statefulSets,
  watching,
} from "@coxswain/client";
import { type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { claim } from "../shared/pods/claim.ts";
import { adoptable, orphans, ownedAndOrphans } from "../shared/pods/orphans.ts";
import { nextAvailabilityMs, type Pod } from "../shared/pods/pod-state.ts";
import type { ControllerRevision } from "../shared/revisions/revision-data.ts";
import { selectorOrNothing } from "../shared/workloads/selector.ts";
import { performPlan } from "./act.ts";
import { isMember, nameOf, type StatefulSet, type VolumeClaim } from "./identity.ts";
import type { ObservedSet } from "./observe.ts";
import { planPods } from "./plan.ts";
import { settleRevisions, truncateHistory } from "./revisions.ts";
import { nextStatus } from "./status.ts";

/** Keeps Pods that have names, and claims of their own. */
export const statefulSetController: BuiltInController = {
  name: "statefulset-controller",
  aliases: ["statefulset"],
  make: () => [
    controller<StatefulSet>({
      name: "statefulset-controller",
      component: "statefulset-controller",
      for: statefulSets,
      owns: [pods],
      watches: [
        adoptable<StatefulSet>(pods, selectorOf),
        // Revisions wake nobody: a set looks at them when something else does.
        watching(controllerRevisions, () => [], { indexes: orphans }),
        watching(persistentVolumeClaims, awaitingItsEnd),
      ],
      concurrency: 5,
      reconcile: (_ref, ctx) => reconcile(ctx),
    }),
  ],
};

const selectorOf = ({ spec }: StatefulSet): LabelSelector => selectorOrNothing(spec?.selector);

/** A Pod is not created as long as a claim of its name is on the way out. */
function awaitingItsEnd({ metadata }: VolumeClaim, { type }: Change<VolumeClaim>, { main }: SourceSetting): readonly ObjectRef[] {
  const { namespace, name = "" } = metadata ?? {};
  if (type !== "deleted" || namespace === undefined) return [];
  const sets: StatefulSet[] = main().list({ namespace });
  const isOfSet = (set: StatefulSet): boolean =>
    set.spec?.volumeClaimTemplates?.some((template) => name.startsWith(`${template.metadata?.name}-${nameOf(set)}-`)) === true;
  return sets.filter(isOfSet).map((set) => ({ namespace, name: nameOf(set) }));
}

async function reconcile(ctx: ReconcileContext<StatefulSet>): Promise<Outcome> {
  const { object: set, client } = ctx;
  if (set === undefined) return done;
  const history = await claimRevisions(ctx, set);
  const claimed = await claimPods(ctx, set);
  const revisions = await settleRevisions(ctx, set, history);
  // Availability now and when to look again must be of one moment.
  const nowMs = client.clock.now();
  const { namespace } = set.metadata ?? {};
  const claimNamed = (name: string) => ctx.cache(persistentVolumeClaims).get({ namespace, name });
  const observed: ObservedSet = { set, revisions, pods: claimed, claimNamed, nowMs };
  const { replaced, failure } = await performPlan(ctx, set, planPods(observed));
  await writeStatus(ctx, observed, replaced);
  await truncateHistory(ctx, set, history, claimed, revisions);
  if (failure !== undefined) throw failure;
  const afterMs = nextAvailabilityMs(claimed, set.spec?.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? done : requeue(afterMs);
}

/** What its selector does not choose stays what it is: it counts for nothing. */
function claimRevisions(ctx: ReconcileContext<StatefulSet>, owner: StatefulSet): Promise<ControllerRevision[]> {
  const { client, signal } = ctx;
  const selector = selectorOf(owner);
  const candidates = ownedAndOrphans(ctx, controllerRevisions).filter(({ metadata }) => selector.matches(metadata?.labels));
  return claim({ client, ref: controllerRevisions, owner, ownerRef: statefulSets, selector, candidates, signal });
}

/** Only Pods of its name: others it lets go of, whatever their labels. */
async function claimPods(ctx: ReconcileContext<StatefulSet>, owner: StatefulSet): Promise<Pod[]> {
  const { client, signal } = ctx;
  const { true: candidates = [], false: strangers = [] } = Object.groupBy(ownedAndOrphans(ctx, pods), (pod) => `${isMember(owner, pod)}`);
  const claims = { client, ref: pods, owner, ownerRef: statefulSets, signal };
  await claim({ ...claims, selector: labelSelectorFromObject(undefined), candidates: strangers });
  return await claim({ ...claims, selector: selectorOf(owner), candidates });
}

async function writeStatus({ client, signal }: ReconcileContext<StatefulSet>, observed: ObservedSet, replaced: number): Promise<void> {
  const { set } = observed;
  const status = nextStatus(observed, replaced);
  if (status !== undefined) await client.resource(statefulSets, set.metadata?.namespace).updateStatus({ ...set, status }, { signal });
}
