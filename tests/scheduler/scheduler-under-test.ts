/** A cluster with a scheduler and nodes that are nothing but objects. */

import type { MetricsRegistry } from "@coxswain/client";
import { type api, type Client, events, nodes, pods, startControllers } from "@coxswain/client";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { createScheduler, defaultProfile, type Scheduler, type SchedulerOptions } from "@coxswain/scheduler";
import { startCluster, type TestCluster, type VirtualClock, virtualClock } from "coxswain/testing";

export type Pod = api.coreV1.Pod;

/** Time goes by itself; nothing in these tests takes longer. */
export const timeoutMs = 600_000;

export interface Scheduling extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly scheduler: Scheduler;
  readonly metrics: MetricsRegistry;
  /** Until the Pod is on a node: its name. */
  placed(name: string): Promise<string>;
  /** Until the Pod's condition says that it cannot be placed: reason and message. */
  refused(name: string): Promise<readonly [reason: string, message: string]>;
  /** The Events of the Pod: `Scheduled: Successfully assigned …`. */
  eventsOf(name: string): Promise<readonly string[]>;
}

export async function startScheduling(options: Partial<SchedulerOptions> = {}): Promise<Scheduling> {
  const stack = new AsyncDisposableStack();
  const clock = virtualClock({ autoAdvance: true });
  const cluster = stack.use(await startCluster({ clock }));
  const client = cluster.clientFor({ name: "system:kube-scheduler" });
  const scheduler = createScheduler({ profiles: [defaultProfile()], ...options });
  const running = stack.use(startControllers([scheduler], { client, component: "default-scheduler" }));
  await scheduler.ready;
  return {
    cluster,
    client: cluster.client,
    clock,
    scheduler,
    metrics: running.metrics,
    placed: async (name) => {
      const pod = await cluster.waitFor(pods, name, ({ spec }) => (spec?.nodeName ?? "") !== "", { timeoutMs });
      return pod.spec?.nodeName ?? "";
    },
    refused: async (name) => {
      const pod = await cluster.waitFor(pods, name, (one) => scheduled(one)?.status === "False", { timeoutMs });
      return [scheduled(pod)?.reason ?? "", scheduled(pod)?.message ?? ""];
    },
    eventsOf: async (name) => {
      const { items } = await cluster.client.resource(events).list();
      const mine = items.filter(({ involvedObject }) => involvedObject.name === name);
      return mine.map(({ reason, message }) => `${reason}: ${message}`);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export const scheduled = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === "PodScheduled");

/** Takes Pods, as it is and without delay. */
export async function addNode(client: Client, name: string, cpu = "4", labels: Record<string, string> = {}): Promise<void> {
  const resource = client.resource(nodes);
  const allocatable = { cpu, memory: "8Gi", pods: "110" };
  const status = { allocatable, capacity: allocatable, conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }] };
  await resource.create({ metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } } });
  await resource.modify(name, (node) => ({ ...node, status: { ...node.status, ...status } }), { subresource: "status" });
  await resource.modify(name, ({ spec: { taints: _, ...spec } = {}, ...node }) => ({ ...node, spec }));
}

export const pod = (name: string, cpu = "100m", more: Partial<api.coreV1.PodSpec> = {}, labels: Record<string, string> = {}): Pod => ({
  metadata: { name, labels },
  spec: { containers: [{ name: "c", image: "x", resources: { requests: { cpu } } }], ...more },
});
