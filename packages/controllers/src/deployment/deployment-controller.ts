import {
  byControllerIndex,
  type Change,
  controller,
  controllerOf,
  deployments,
  done,
  type ObjectRef,
  type Outcome,
  pods,
  type ReconcileContext,
  replicaSets,
  requeue,
  type SourceSetting,
  watching,
} from "@coxswain/client";
import type { LabelSelector } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { claim } from "../shared/pods/claim.ts";
import { adoptable, ownedAndOrphans } from "../shared/pods/orphans.ts";
import { isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import { selectorOrNothing } from "../shared/workloads/selector.ts";
import { performPlan } from "./act.ts";
import { planDeployment } from "./plan.ts";
import type { Deployment, ReplicaSet } from "./rollout.ts";

const name = "deployment-controller";

/** Rolls a Deployment's template out by way of ReplicaSets, one for each template. */
export const deploymentController: BuiltInController = {
  name,
  aliases: ["deployment"],
  make: () => [
    controller<Deployment>({
      name,
      component: name,
      for: deployments,
      owns: [replicaSets],
      watches: [adoptable<Deployment>(replicaSets, selectorOf), watching(pods, awaitingItsEnd)],
      concurrency: 5,
      reconcile: (_ref, ctx) => reconcile(ctx),
    }),
  ],
};

async function reconcile(ctx: ReconcileContext<Deployment>): Promise<Outcome> {
  const { object: deployment, client, signal } = ctx;
  if (deployment === undefined) return done;
  const selector = selectorOf(deployment);
  if (selector.empty) return selectsAll(ctx, deployment);
  const candidates = ownedAndOrphans(ctx, replicaSets);
  const claimed = await claim({ client, ref: replicaSets, owner: deployment, ownerRef: deployments, selector, candidates, signal });
  const podsOf = ({ metadata }: ReplicaSet): Pod[] => ctx.cache(pods).byIndex(byControllerIndex, metadata?.uid ?? "");
  const runs = (replicaSet: ReplicaSet): boolean => podsOf(replicaSet).some((pod) => !isPodTerminal(pod));
  const plan = planDeployment({ deployment, replicaSets: claimed, runs, nowMs: client.clock.now() });
  await performPlan(ctx, deployment, plan);
  return plan.againMs === undefined ? done : requeue(plan.againMs);
}

const selectorOf = ({ spec }: Deployment): LabelSelector => selectorOrNothing(spec?.selector);

/** Servers refuse it; one that was let through before would take all there is. */
function selectsAll({ events }: ReconcileContext<Deployment>, deployment: Deployment): Outcome {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  events.record(deployment, { type: "Warning", reason: "SelectingAll", message }, deployments);
  return done;
}

/** A Deployment that recreates its Pods waits for the last old one to be gone. */
function awaitingItsEnd(pod: Pod, change: Change<Pod>, { main, cache }: SourceSetting): readonly ObjectRef[] {
  if (change.type !== "deleted") return [];
  const { namespace } = pod.metadata ?? {};
  const replicaSet = controllerOf(pod);
  if (namespace === undefined || replicaSet?.kind !== "ReplicaSet") return [];
  const found = cache(replicaSets).get({ namespace, name: replicaSet.name });
  const reference = found === undefined ? undefined : controllerOf(found);
  if (reference?.kind !== "Deployment") return [];
  const ref = { namespace, name: reference.name };
  const deployment: Deployment | undefined = main().get(ref);
  return deployment?.spec?.strategy?.type === "Recreate" ? [ref] : [];
}
