/**
 * Which revision of its template a StatefulSet is at, and which it is to come to.
 * @see https://kubernetes.io/docs/tasks/manage-daemon/rollback-daemon-set/#understanding-daemonset-revisions
 */
import { controllerRevisions, isAlreadyExists, type ReconcileContext, statefulSets } from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import { controllerReference } from "../shared/pods/claim.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { forget, inRevisionOrder, nameOf, nextRevisionNumber, renumber } from "../shared/revisions/history.ts";
import { type ControllerRevision, holdsTemplate, restoresTemplate, revisionData, templateIn } from "../shared/revisions/revision-data.ts";
import { revisionHash, revisionName } from "../shared/revisions/revision-name.ts";
import { revisionOf, type StatefulSet } from "./identity.ts";
import type { ObservedSet, Revision, Revisions } from "./set-state.ts";

export type RevisionPlan =
  | { readonly do: "keep"; readonly revision: ControllerRevision }
  /** The template is one that was there before. */
  | { readonly do: "renumber"; readonly revision: ControllerRevision; readonly number: number }
  | { readonly do: "create"; readonly number: number };

/** `revisions` in order. */
export function planRevision(set: StatefulSet, revisions: readonly ControllerRevision[]): RevisionPlan {
  const template = templateOf(set);
  const newest = revisions.at(-1);
  const number = nextRevisionNumber(revisions);
  const equal = revisions.findLast((revision) => holdsTemplate(revision, template));
  if (equal !== undefined) return equal === newest ? { do: "keep", revision: equal } : { do: "renumber", revision: equal, number };
  if (newest !== undefined && restoresTemplate(newest, template)) return { do: "keep", revision: newest };
  return { do: "create", number };
}

/** Those beyond the limit that no Pod is of any more, the oldest first; `revisions` in order. */
export function surplusRevisions(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
  { current, update }: Revisions,
): readonly ControllerRevision[] {
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  if (limit < 0 || revisions.length <= limit) return [];
  const live = new Set([current.name, update.name, ...pods.map(revisionOf)]);
  const history = revisions.filter((revision) => !live.has(nameOf(revision)));
  return history.slice(0, Math.max(0, history.length - limit));
}

type Context = Pick<ReconcileContext<StatefulSet>, "client" | "signal">;

/** For a set that is being deleted nothing is written: its status has the names. */
export async function settleRevisions(ctx: Context, set: StatefulSet, revisions: readonly ControllerRevision[]): Promise<Revisions> {
  if (set.metadata?.deletionTimestamp !== undefined) return revisionsOfStatus(set);
  const ordered = inRevisionOrder(revisions);
  const plan = planRevision(set, ordered);
  const { update, collisionCount } = await carryOut(ctx, set, plan);
  const current = ordered.find((revision) => nameOf(revision) === set.status?.currentRevision) ?? update;
  const read = (revision: ControllerRevision): Revision => ({ name: nameOf(revision), template: templateIn(revision, templateOf(set)) });
  return { current: read(current), update: read(update), collisionCount };
}

function revisionsOfStatus(set: StatefulSet): Revisions {
  const { currentRevision = "", updateRevision = "", collisionCount = 0 } = set.status ?? {};
  const template = templateOf(set);
  return { current: { name: currentRevision, template }, update: { name: updateRevision, template }, collisionCount };
}

/** Deletes the revisions beyond revisionHistoryLimit. */
export const truncateHistory = (ctx: Context, { set, history, pods, revisions }: ObservedSet): Promise<void> =>
  forget(ctx, surplusRevisions(set, inRevisionOrder(history), pods, revisions));

const templateOf = ({ spec }: StatefulSet) => spec?.template ?? {};

interface Settled {
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

async function carryOut(ctx: Context, set: StatefulSet, plan: RevisionPlan): Promise<Settled> {
  const collisionCount = set.status?.collisionCount ?? 0;
  switch (plan.do) {
    case "keep":
      return { update: plan.revision, collisionCount };
    case "renumber":
      return { update: await renumber(ctx, plan.revision, plan.number), collisionCount };
    case "create":
      return await create(ctx, set, plan.number, collisionCount);
  }
}

/** Under the next name as long as a name is taken by something else. */
async function create({ client, signal }: Context, set: StatefulSet, revision: number, collisions: number): Promise<Settled> {
  const { namespace, name: owner = "", annotations } = set.metadata ?? {};
  const resource = client.resource(controllerRevisions, namespace);
  const data = revisionData(templateOf(set));
  const labels = { ...templateOf(set).metadata?.labels, "controller.kubernetes.io/hash": revisionHash(data, collisions) };
  const ownerReferences = [controllerReference(set, statefulSets)];
  for (let collisionCount = collisions; ; collisionCount++) {
    const name = revisionName(owner, revisionHash(data, collisionCount));
    const metadata = { name, labels, ...(annotations === undefined ? {} : { annotations }), ownerReferences };
    try {
      return { update: await resource.create({ metadata, data, revision }, { signal }), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const existing = await resource.get(name, { signal });
      if (deepEqual(existing.data, data)) return { update: existing, collisionCount };
    }
  }
}
