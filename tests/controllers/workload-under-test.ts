/** A cluster in which Deployments and ReplicaSets live, as their tests have it. */
import { deployments, events, replicaSets, startControllers } from "@coxswain/client";
import { deploymentController, replicaSetController, replicationControllerController } from "@coxswain/controllers";
import { AsyncDisposableStack, type Clock } from "@coxswain/machinery";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { simulateNodes } from "./simulated-node.ts";

/** Time goes by itself; nothing in these tests takes longer. */
export const timeoutMs = 600_000;

export interface Workloads extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** The Events of all objects of this kind, each with its count, in the order of first times. */
  eventsOf(kind: string): Promise<readonly string[]>;
}

/** On a virtual clock, unless other processes are to take part. */
export async function startWorkloads(clock: Clock = virtualClock({ autoAdvance: true })): Promise<Workloads> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ clock }));
  const { client } = cluster;
  stack.use(await simulateNodes({ client }));
  const made = [deploymentController, replicaSetController, replicationControllerController].flatMap((one) =>
    one.make({ client, settings: {} }),
  );
  const running = stack.use(startControllers(made, { client }));
  await running.ready;
  const eventsOf = async (kind: string) => {
    const { items } = await client.resource(events).list();
    const ofKind = items.filter(({ involvedObject }) => involvedObject.kind === kind);
    return ofKind.map(({ reason, message, source }) => `${source?.component}: ${reason}: ${message}`);
  };
  return { cluster, eventsOf, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export const template = (image: string, annotations: Record<string, string> = {}, app = "web") => ({
  metadata: { labels: { app }, annotations },
  spec: { containers: [{ name: "c", image }] },
});

/** The sizes of all ReplicaSets by their revisions. */
export async function sizes({ client }: TestCluster): Promise<Record<string, number>> {
  const { items } = await client.resource(replicaSets).list();
  const byRevision = items.map(({ metadata, spec }) => [metadata?.annotations?.["deployment.kubernetes.io/revision"], spec?.replicas]);
  return Object.fromEntries(byRevision.sort());
}

/** Until the status speaks of the newest spec, and of as many Pods of it as it wants and no others. */
export const settled = (cluster: TestCluster, name: string) =>
  cluster.waitFor(
    deployments,
    name,
    ({ metadata, spec, status }) => {
      const wanted = spec?.replicas ?? 0;
      const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas].map((count = 0) => count);
      return status?.observedGeneration === metadata?.generation && counts.every((count) => count === wanted);
    },
    { timeoutMs },
  );
