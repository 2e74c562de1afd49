/** Everything that runs: watches of everything, the graph that they fill, and workers that look at what it gives reason to. */
import {
  type Change,
  createWorkQueue,
  exposeQueue,
  isConflict,
  isNoMatch,
  isWorthLogging,
  loggedError,
  queueObserver,
  type ResourceRef,
  type TaskContext,
  type WorkQueue,
} from "@coxswain/client";
import { discoveryFailure, resourcesWith } from "../shared/discovery/discovered-resources.ts";
import { Rediscovery } from "../shared/discovery/rediscovery.ts";
import { AbsentOwnerCache } from "./absent-owner-cache.ts";
import { GarbageCollector } from "./attempt-to-delete.ts";
import { type Consequences, DependencyGraph, type Misplaced } from "./dependency-graph.ts";
import { Monitors } from "./monitors.ts";
import { coordinatesOf, nodeOf } from "./node.ts";

/** kube-controller-manager's default. */
const workers = 20;

const queueName = "garbage_collector_attempt_to_delete";

export async function collectGarbage(ctx: TaskContext, signal: AbortSignal): Promise<void> {
  const { client, informers, metrics } = ctx;
  const graph = new DependencyGraph();
  const absent = new AbsentOwnerCache();
  using queue = createWorkQueue<string>({ clock: client.clock, observer: queueObserver(metrics, queueName) });
  using _gauges = exposeQueue(metrics, queueName, () => queue.stats);
  using rediscovery = new Rediscovery(client.clock);
  const follow = ({ check, misplaced }: Consequences): void => {
    for (const uid of check) queue.add(uid);
    for (const one of misplaced) recordMisplaced(one, ctx);
  };
  using monitors = new Monitors({
    informers,
    changed: (ref, change) => {
      if (changesDiscovery(ref)) rediscovery.hint();
      follow(apply(ref, change, graph, absent));
    },
    // Whether its objects still exist is unknown now: the attempts on their dependents read them.
    ended: (ref) => {
      for (const { uid } of graph.nodesOf((node) => node.ref === ref)) follow(graph.remove(uid));
    },
  });
  await discover(ctx, monitors, rediscovery, signal);
  await monitors.seen(client.clock, signal);
  const collector = new GarbageCollector({ client, graph, absent, check: (uid) => queue.add(uid), isBlind: () => monitors.isBlind });
  const working = Array.from({ length: workers }, () => work(ctx, queue, collector, signal));
  await Promise.all([followDiscovery(ctx, monitors, rediscovery, signal), ...working]);
}

async function followDiscovery(ctx: TaskContext, monitors: Monitors, rediscovery: Rediscovery, signal: AbortSignal): Promise<void> {
  for (;;) {
    await rediscovery.next(signal);
    if (signal.aborted) return;
    await discover(ctx, monitors, rediscovery, signal);
  }
}

/** Never rejects. What cannot be discovered now is watched as before. */
async function discover({ client, log }: TaskContext, monitors: Monitors, rediscovery: Rediscovery, signal: AbortSignal): Promise<void> {
  try {
    const discovered = await client.discover({ signal });
    const error = discoveryFailure(discovered);
    if (error !== undefined) log.warn({ error: loggedError(error) }, "failed to discover all resources");
    const resources = resourcesWith(discovered, ["delete", "list", "watch"]).filter((one) => !isEvent(one));
    monitors.follow(resources, ({ group, version }) => discovered.failed.some((one) => one.group === group && one.version === version));
  } catch (error) {
    if (signal.aborted) return;
    log.warn({ error: loggedError(error) }, "failed to discover resources");
    rediscovery.hint();
  }
}

/** They own nothing, and there are many. */
const isEvent = ({ group, resource }: ResourceRef): boolean => resource === "events" && (group === "" || group === "events.k8s.io");

const changesDiscovery = ({ group, resource }: ResourceRef): boolean =>
  (group === "apiextensions.k8s.io" && resource === "customresourcedefinitions") ||
  (group === "apiregistration.k8s.io" && resource === "apiservices");

const nothing: Consequences = { check: new Set(), misplaced: [] };

function apply(ref: ResourceRef, change: Change, graph: DependencyGraph, absent: AbsentOwnerCache): Consequences {
  const node = nodeOf(ref, change.object);
  if (node === undefined) return nothing;
  if (change.type !== "deleted") return graph.observe(node);
  // What only lacks in a list is asked for before anything is deleted for it.
  if (!change.unseen && graph.hasDependents(node.uid)) absent.add(coordinatesOf(node));
  return graph.remove(node.uid);
}

function recordMisplaced({ dependent, reference }: Misplaced, { events }: TaskContext): void {
  const { apiVersion, kind, namespace, name, uid } = coordinatesOf(dependent);
  const owner = `[${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}]`;
  events.record(
    { apiVersion, kind, metadata: { name, uid, ...(namespace === "" ? {} : { namespace }) } },
    {
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
    },
  );
}

async function work({ log }: TaskContext, queue: WorkQueue<string>, collector: GarbageCollector, signal: AbortSignal): Promise<void> {
  for await (using claim of queue.claims(signal)) {
    try {
      if ((await collector.attemptToDelete(claim.key, claim.failures, signal)) === "unseen") claim.retry();
    } catch (error) {
      claim.retry();
      const failures = claim.failures + 1;
      const fields = { uid: claim.key, failures, error: loggedError(error) };
      if (signal.aborted || isConflict(error)) continue;
      // Owners of kinds that are not served were set by another client, which has to correct them.
      const isLogged = isWorthLogging(failures) && !isNoMatch(error);
      log[isLogged ? "error" : "debug"](fields, "failed to sync object");
    }
  }
}
