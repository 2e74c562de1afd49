import { byControllerIndex, deployments, pods, type ReconcileContext, replicaSets } from "@coxswain/client";
import type { LabelSelector } from "@coxswain/machinery";
import { claim } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import { isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import { selectorOrNothing } from "../shared/workloads/selector.ts";
import type { ObservedDeployment } from "./plan.ts";
import type { Deployment, ReplicaSet } from "./rollout.ts";

/** Claims the ReplicaSets of the Deployment, and finds which of them have Pods that run. */
export async function observe(ctx: ReconcileContext<Deployment>, deployment: Deployment): Promise<ObservedDeployment> {
  const { client, cache, signal } = ctx;
  const selector = selectorOf(deployment);
  const candidates = ownedAndOrphans(ctx, replicaSets);
  const claimed = await claim({ client, ref: replicaSets, owner: deployment, ownerRef: deployments, selector, candidates, signal });
  const podsOf = ({ metadata }: ReplicaSet): Pod[] => cache(pods).byIndex(byControllerIndex, metadata?.uid ?? "");
  const runs = (replicaSet: ReplicaSet): boolean => podsOf(replicaSet).some((pod) => !isPodTerminal(pod));
  return { deployment, replicaSets: claimed, runs, nowMs: client.clock.now() };
}

export const selectorOf = ({ spec }: Deployment): LabelSelector => selectorOrNothing(spec?.selector);
