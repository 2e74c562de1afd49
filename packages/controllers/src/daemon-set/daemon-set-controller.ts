import {
  controller,
  controllerRevisions,
  daemonSets,
  done,
  itsController,
  nodes,
  type Outcome,
  type Predicate,
  pods,
  type ReconcileContext,
  requeue,
  watching,
} from "@coxswain/client";
import type { LabelSelector } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { claim } from "../shared/pods/claim.ts";
import { adoptable, ownedAndOrphans } from "../shared/pods/orphans.ts";
import { nextAvailabilityMs, type Pod } from "../shared/pods/pod-state.ts";
import { forget } from "../shared/revisions/history.ts";
import { selectorOrNothing } from "../shared/workloads/selector.ts";
import { performPlan } from "./act.ts";
import type { DaemonSet } from "./daemon-pod.ts";
import { FailedPods } from "./failed-pods.ts";
import { settleHistory, surplusRevisions } from "./history.ts";
import { byTargetNode, changesPlacement, daemonsConcerned } from "./node-changes.ts";
import { type ObservedDaemons, podsByNode } from "./observe.ts";
import { placementOf } from "./placement.ts";
import { planDaemons } from "./plan.ts";
import { nextStatus } from "./status.ts";

/** Keeps a Pod on every Node that a DaemonSet chooses. */
export const daemonSetController: BuiltInController = {
  name: "daemonset-controller",
  aliases: ["daemonset"],
  make: () => {
    const failures = new FailedPods();
    return [
      controller<DaemonSet>({
        name: "daemonset-controller",
        component: "daemonset-controller",
        for: daemonSets,
        owns: [pods],
        watches: [
          adoptable<DaemonSet>(pods, selectorOf),
          adoptable<DaemonSet>(controllerRevisions, selectorOf),
          watching(controllerRevisions, itsController(daemonSets), { predicate: isNoNewcomer }),
          watching(pods, () => [], { indexes: byTargetNode }),
          watching(nodes, daemonsConcerned, { predicate: changesPlacement }),
        ],
        concurrency: 2,
        reconcile: (_ref, ctx) => reconcile(ctx, failures),
      }),
    ];
  },
};

/** One of its own that appears a DaemonSet looks at when something else wakes it: it makes them itself. */
const isNoNewcomer: Predicate = ({ type, object }) => type !== "added" || object.metadata?.deletionTimestamp !== undefined;

const selectorOf = ({ spec }: DaemonSet): LabelSelector => selectorOrNothing(spec?.selector);

async function reconcile(ctx: ReconcileContext<DaemonSet>, failures: FailedPods): Promise<Outcome> {
  const { object: daemonSet, client } = ctx;
  if (daemonSet === undefined) return done;
  if (selectorOf(daemonSet).empty) return selectsAll(ctx, daemonSet);
  // Its revisions may be gone already, and without them nothing can be said of its Pods.
  if (daemonSet.metadata?.deletionTimestamp !== undefined) return done;
  const claims = { client, owner: daemonSet, ownerRef: daemonSets, selector: selectorOf(daemonSet), signal: ctx.signal };
  const candidates = ownedAndOrphans(ctx, controllerRevisions);
  const revisions = await claim({ ...claims, ref: controllerRevisions, candidates });
  const claimed = await claim({ ...claims, ref: pods, candidates: ownedAndOrphans(ctx, pods) });
  const { hash, old } = await settleHistory(ctx, daemonSet, revisions, claimed);
  const observed = observe(ctx, daemonSet, hash, claimed, failures);
  const plan = planDaemons(observed);
  const failure = await performPlan(ctx, daemonSet, hash, plan, failures);
  await writeStatus(ctx, observed);
  if (failure !== undefined) throw failure;
  await forget(ctx, surplusRevisions(daemonSet, old, claimed));
  return nextLook(observed, claimed, plan.againMs);
}

/** Servers refuse it; one that was let through before would take all there is. */
function selectsAll({ events }: ReconcileContext<DaemonSet>, daemonSet: DaemonSet): Outcome {
  const message = "This daemon set is selecting all pods. A non-empty selector is required.";
  events.record(daemonSet, { type: "Warning", reason: "SelectingAll", message }, daemonSets);
  return done;
}

function observe(
  { client, cache }: ReconcileContext<DaemonSet>,
  daemonSet: DaemonSet,
  hash: string,
  claimed: readonly Pod[],
  failures: FailedPods,
): ObservedDaemons {
  // Availability now and when to look again must be of one moment.
  const nowMs = client.clock.now();
  return {
    daemonSet,
    hash,
    nodes: cache(nodes).list(),
    placement: placementOf(daemonSet),
    podsByNode: podsByNode(claimed),
    pauseOn: (node) => failures.pauseOn(daemonSet, node, client.clock.monotonic()),
    nowMs,
  };
}

async function writeStatus({ client, signal }: ReconcileContext<DaemonSet>, observed: ObservedDaemons): Promise<void> {
  const { daemonSet } = observed;
  const status = nextStatus(observed);
  if (status === undefined) return;
  await client.resource(daemonSets, daemonSet.metadata?.namespace).updateStatus({ ...daemonSet, status }, { signal });
}

/** When time alone changes something. */
function nextLook({ daemonSet, nowMs }: ObservedDaemons, claimed: readonly Pod[], againMs: number | undefined): Outcome {
  const availableMs = nextAvailabilityMs(claimed, daemonSet.spec?.minReadySeconds ?? 0, nowMs);
  const times = [availableMs, againMs].filter((time) => time !== undefined);
  return times.length === 0 ? done : requeue(Math.min(...times));
}
