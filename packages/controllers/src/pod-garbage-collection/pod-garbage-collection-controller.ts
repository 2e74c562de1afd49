import { nodes, pods, type TaskContext } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { pause, whenSynced } from "../shared/tasks/task-waits.ts";
import { act } from "./act.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { Quarantine } from "./quarantine.ts";

/**
 * The pod-garbage-collector-controller deletes Pods of Nodes that do not exist any more, deleted Pods that were never scheduled, and
 * the oldest of too many terminated ones.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
export const podGarbageCollectorController: BuiltInController = {
  name: "pod-garbage-collector-controller",
  serviceAccount: "pod-garbage-collector",
  aliases: ["podgc"],
  make: () => [{ name: "pod-garbage-collector-controller", run }],
};

/** kube-controller-manager's periods. */
const periodMs = 20_000;
const quarantineMs = 40_000;

async function run(ctx: TaskContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = ctx;
  using podLease = informers.use(pods);
  using nodeLease = informers.use(nodes);
  const quarantine = new Quarantine(quarantineMs);
  const sources = { pods: podLease.informer.lister, nodes: nodeLease.informer.lister, quarantine };
  await whenSynced([podLease.informer, nodeLease.informer], signal);
  while (!signal.aborted) {
    await act(ctx, plan(await observe(ctx, sources, signal)), signal);
    await pause(client.clock, periodMs, signal);
  }
}
