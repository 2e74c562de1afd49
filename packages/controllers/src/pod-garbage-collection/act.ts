/** Every so often removes Pods that nobody else will. */
import { type Client, isObjectNotFound, loggedError, nodes, pods, type TaskContext } from "@coxswain/client";
import { wireTime } from "@coxswain/machinery";
import { isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import { pause, whenSynced } from "../shared/tasks/task-waits.ts";
import { planSweep, type Removal, unknownNodes } from "./plan.ts";
import { Quarantine } from "./quarantine.ts";

/** kube-controller-manager's. */
const everyMs = 20_000;
const quarantineMs = 40_000;
const terminatedThreshold = 12_500;

export async function sweepPods(ctx: TaskContext, signal: AbortSignal): Promise<void> {
  const { client, informers, log } = ctx;
  using ofPods = informers.use(pods);
  using ofNodes = informers.use(nodes);
  const quarantine = new Quarantine(quarantineMs);
  await whenSynced([ofPods.informer, ofNodes.informer], signal);
  while (!signal.aborted) {
    const all = ofPods.informer.lister.list();
    const known = new Map(ofNodes.informer.lister.list().map((node) => [node.metadata?.name ?? "", node]));
    const missing = quarantine.due(unknownNodes(all, known), client.clock.monotonic());
    const goneNodes = await gone(missing, ctx, signal);
    const plan = planSweep({ pods: all, nodes: known, goneNodes, terminatedThreshold });
    const ended = await Promise.allSettled(plan.map((removal) => remove(removal, client, signal)));
    for (const one of ended) {
      if (one.status === "rejected" && !signal.aborted) log.error({ error: loggedError(one.reason) }, "a Pod could not be removed");
    }
    await pause(client.clock, everyMs, signal);
  }
}

/** Those of which the server says so. */
async function gone(names: readonly string[], { client, log }: TaskContext, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of names) {
    try {
      await client.resource(nodes).get(name, { signal });
    } catch (error) {
      if (isObjectNotFound(error, nodes, name)) found.add(name);
      else if (!signal.aborted) log.warn({ node: name, error: loggedError(error) }, "whether a Node exists cannot be told");
    }
  }
  return found;
}

/** It has failed before it goes: nobody is there to say anything else of it. */
async function remove({ pod, reason }: Removal, client: Client, signal: AbortSignal): Promise<void> {
  const { name = "", namespace, uid } = pod.metadata ?? {};
  const resource = client.resource(pods, namespace);
  try {
    if (!isPodTerminal(pod)) {
      const patch = {
        metadata: { uid },
        status: { phase: "Failed", ...(reason === "orphaned" ? disrupted(pod, client.clock.now()) : {}) },
      };
      await resource.patch(name, { type: "strategic", patch }, { subresource: "status", signal });
    }
    await resource.delete(name, { gracePeriodSeconds: 0, preconditions: uid === undefined ? {} : { uid }, signal });
  } catch (error) {
    if (!isObjectNotFound(error, pods, name)) throw error;
  }
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
const disrupted = ({ metadata }: Pod, nowMs: number) => ({
  conditions: [
    {
      type: "DisruptionTarget",
      status: "True",
      observedGeneration: metadata?.generation,
      lastTransitionTime: wireTime(nowMs),
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    },
  ],
});
