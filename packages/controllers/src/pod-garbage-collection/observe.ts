import type { coreV1 } from "@coxswain/api";
import { isObjectNotFound, type Lister, loggedError, nodes, type TaskContext } from "@coxswain/client";
import type { Pod } from "../shared/pods/pod-state.ts";
import { type ObservedPods, unknownNodes } from "./plan.ts";
import type { Quarantine } from "./quarantine.ts";

/** kube-controller-manager's default. */
const terminatedThreshold = 12_500;

export interface PodSources {
  readonly pods: Pick<Lister<Pod>, "list">;
  readonly nodes: Pick<Lister<coreV1.Node>, "list">;
  readonly quarantine: Quarantine;
}

export async function observe(ctx: TaskContext, sources: PodSources, signal: AbortSignal): Promise<ObservedPods> {
  const pods = sources.pods.list();
  const known = new Map(sources.nodes.list().map((node) => [node.metadata?.name ?? "", node]));
  const missing = sources.quarantine.due(unknownNodes(pods, known), ctx.client.clock.monotonic());
  return { pods, nodes: known, goneNodes: await goneNodes(missing, ctx, signal), terminatedThreshold };
}

/** Those that the server does not have. */
async function goneNodes(names: readonly string[], { client, log }: TaskContext, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of names) {
    try {
      await client.resource(nodes).get(name, { signal });
    } catch (error) {
      if (isObjectNotFound(error, nodes, name)) found.add(name);
      else if (!signal.aborted) log.warn({ node: name, error: loggedError(error) }, "failed to get node");
    }
  }
  return found;
}
