import {
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
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { adoptable } from "../shared/pods/orphans.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { act } from "./act.ts";
import { observe, selectorOf } from "./observe.ts";
import { plan } from "./plan.ts";
import type { Deployment } from "./rollout.ts";

const name = "deployment-controller";

/**
 * The deployment-controller rolls out a Deployment's template by way of ReplicaSets, one for each template.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
export const deploymentController: BuiltInController = {
  name,
  serviceAccount: "deployment-controller",
  aliases: ["deployment"],
  make: () => [
    controller<Deployment>({
      name,
      component: name,
      for: deployments,
      owns: [replicaSets],
      watches: [adoptable<Deployment>(replicaSets, selectorOf), watching(pods, deploymentsThatRecreate)],
      concurrency: 5,
      reconcile: (_ref, ctx) => reconcile(ctx),
    }),
  ],
};

async function reconcile(ctx: ReconcileContext<Deployment>): Promise<Outcome> {
  const { object: deployment } = ctx;
  if (deployment === undefined) return done;
  if (selectorOf(deployment).empty) return reportSelectsAll(ctx, deployment);
  const observed = await observe(ctx, deployment);
  const planned = plan(observed);
  await act(ctx, deployment, planned);
  return planned.againMs === undefined ? done : requeue(planned.againMs);
}

/** The API server rejects an empty selector; one that was stored before would select every Pod. */
function reportSelectsAll({ events }: ReconcileContext<Deployment>, deployment: Deployment): Outcome {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  events.record(deployment, { type: "Warning", reason: "SelectingAll", message }, deployments);
  return done;
}

/** A Deployment with strategy Recreate waits for the last old Pod to be gone. */
function deploymentsThatRecreate(pod: Pod, change: Change<Pod>, { main, cache }: SourceSetting): readonly ObjectRef[] {
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
