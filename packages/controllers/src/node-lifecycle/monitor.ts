/** Watches the heartbeats of kubelets, taints Nodes whose kubelet is silent, and removes the taint when it is back. */
import { type Client, type EventRecorder, leases, loggedError, nodes, pods, type Task, type TaskContext } from "@coxswain/client";
import { byNode, podsByNode } from "../shared/pods/by-node.ts";
import { pause, whenSynced } from "../shared/tasks/task-waits.ts";
import { markNotReady, patchTaints } from "./act.ts";
import { type NodeHealth, observeHealth, silentConditions } from "./node-health.ts";
import { countsForZone, type Node, nodeCondition, zoneOf } from "./node-state.ts";
import { hasTaint, noExecuteChange, notReady, type TaintChange, taintsAfter, unreachable } from "./taints.ts";
import { Zones } from "./zones.ts";

/** kube-controller-manager's `--node-monitor-period`. */
const periodMs = 5_000;

export const monitorNodes = (): Task => ({
  name: "node-lifecycle-controller-monitor",
  component: "node-controller",
  run: async (ctx, signal) => {
    using nodeLease = ctx.informers.use(nodes);
    using leaseLease = ctx.informers.use(leases);
    using podLease = ctx.informers.use(pods, { indexes: podsByNode });
    if (!(await whenSynced([nodeLease.informer, leaseLease.informer, podLease.informer], signal))) return;
    const monitor = new Monitor(ctx, {
      nodes: () => nodeLease.informer.lister.list(),
      node: (name) => nodeLease.informer.lister.get({ name }),
      lease: (name) => leaseLease.informer.lister.get({ namespace: "kube-node-lease", name }),
      pods: (name) => podLease.informer.lister.byIndex(byNode, name),
    });
    while (!signal.aborted) {
      await monitor.pass(signal);
      await pause(ctx.client.clock, periodMs, signal);
    }
  },
});

interface Caches {
  nodes(): Node[];
  node(name: string): Node | undefined;
  lease(name: string): Parameters<typeof observeHealth>[0]["lease"];
  pods(node: string): Parameters<typeof markNotReady>[0];
}

class Monitor {
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #log: TaskContext["log"];
  readonly #caches: Caches;
  readonly #known = new Map<string, Node>();
  readonly #health = new Map<string, NodeHealth>();
  readonly #zones = new Zones();
  /** Nodes whose Pods are still to be marked: marking failed, or whether it has begun is not known. */
  readonly #unmarked = new Set<string>();

  constructor({ client, events, log }: TaskContext, caches: Caches) {
    this.#client = client;
    this.#events = events;
    this.#log = log;
    this.#caches = caches;
  }

  async pass(signal: AbortSignal): Promise<void> {
    const all = this.#caches.nodes();
    this.#recordNodes(all);
    const ready = new Map<string, boolean[]>();
    for (const node of all) {
      const current = await this.#syncNode(node, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log.warn({ node: node.metadata?.name, error: loggedError(error) }, "failed to sync node health");
        return undefined;
      });
      if (current === undefined || !countsForZone(current)) continue;
      const zone = ready.get(zoneOf(current)) ?? [];
      ready.set(zoneOf(current), zone);
      zone.push(nodeCondition(current, "Ready")?.status === "True");
    }
    await this.#applyZoneState(ready, all, signal);
    for (const name of this.#zones.due(this.#client.clock.monotonic())) await this.#taintForEviction(name, signal);
  }

  #recordNodes(all: readonly Node[]): void {
    const here = new Set(all.map(({ metadata }) => metadata?.name ?? ""));
    for (const node of all) {
      const { name = "" } = node.metadata ?? {};
      if (!this.#known.has(name)) this.#record(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
      this.#known.set(name, node);
    }
    for (const [name, node] of this.#known) {
      if (here.has(name)) continue;
      this.#record(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
      this.#known.delete(name);
      this.#health.delete(name);
      this.#unmarked.delete(name);
      this.#zones.zone(zoneOf(node)).queue.delete(name);
    }
  }

  /** Resolves with the Node as it is now. */
  async #syncNode(node: Node, signal: AbortSignal): Promise<Node> {
    const { name = "" } = node.metadata ?? {};
    const [nowMs, wallMs] = [this.#client.clock.monotonic(), this.#client.clock.now()];
    const health = observeHealth({ before: this.#health.get(name), node, lease: this.#caches.lease(name), nowMs, wallMs });
    this.#health.set(name, health);
    const conditions = silentConditions(node, health, nowMs, wallMs);
    const now = conditions === undefined ? node : await this.#writeUnknown(node, conditions, signal);
    if (nodeCondition(now, "Ready") === undefined) return now;
    await this.#taint(now, signal);
    const wasReady = nodeCondition(node, "Ready")?.status === "True";
    const isReady = nodeCondition(now, "Ready")?.status === "True";
    if (isReady) this.#unmarked.delete(name);
    if (wasReady && !isReady) {
      this.#record(now, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
      this.#unmarked.add(name);
    }
    if (!this.#unmarked.has(name)) return now;
    await markNotReady(this.#caches.pods(name), { client: this.#client, events: this.#events, signal });
    this.#unmarked.delete(name);
    return now;
  }

  async #writeUnknown(node: Node, conditions: NonNullable<Node["status"]>["conditions"], signal: AbortSignal): Promise<Node> {
    const { name = "" } = node.metadata ?? {};
    // When the answer is lost, the Node may be Unknown the next time without its Pods having been marked.
    if (nodeCondition(node, "Ready")?.status === "True") this.#unmarked.add(name);
    const written = await this.#client
      .resource(nodes)
      .updateStatus({ ...node, status: { ...node.status, conditions: conditions ?? [] } }, { signal });
    const ready = nodeCondition(written, "Ready");
    const health = this.#health.get(name);
    if (health !== undefined) this.#health.set(name, { ...health, hasReady: true, heartbeat: ready?.lastHeartbeatTime });
    return written;
  }

  /** A taint that replaces the other is written at once, a new one at the rate of the zone. */
  async #taint(node: Node, signal: AbortSignal): Promise<void> {
    const { name = "" } = node.metadata ?? {};
    const change = noExecuteChange(node);
    if (change === undefined) return await this.#removeTaints(node, signal);
    if (hasTaint(node, change.remove)) await this.#patch(node, { add: [change.add], remove: [change.remove] }, signal);
    else if (!hasTaint(node, change.add)) this.#zones.zone(zoneOf(node)).queue.add(name);
  }

  async #removeTaints(node: Node, signal: AbortSignal): Promise<void> {
    this.#zones.zone(zoneOf(node)).queue.delete(node.metadata?.name ?? "");
    await this.#patch(node, { add: [], remove: [unreachable, notReady] }, signal);
  }

  async #applyZoneState(ready: ReadonlyMap<string, readonly boolean[]>, all: readonly Node[], signal: AbortSignal): Promise<void> {
    const transition = this.#zones.transition(ready);
    if (transition === "enter disruption") for (const node of all) await this.#removeTaints(node, signal).catch(() => undefined);
    if (transition !== "leave disruption") return;
    const heardMs = this.#client.clock.monotonic();
    for (const [name, health] of this.#health) this.#health.set(name, { ...health, heardMs });
  }

  async #taintForEviction(name: string, signal: AbortSignal): Promise<void> {
    const node = this.#caches.node(name);
    const change = node === undefined ? undefined : noExecuteChange(node);
    const queue = this.#zones.zone(node === undefined ? "" : zoneOf(node)).queue;
    queue.delete(name);
    if (node === undefined || change === undefined) return;
    await this.#patch(node, { add: [change.add], remove: [change.remove] }, signal).catch((error: unknown) => {
      // The next pass finds it without its taint.
      if (!signal.aborted) this.#log.warn({ node: name, error: loggedError(error) }, "failed to taint node");
    });
  }

  async #patch(node: Node, change: TaintChange, signal: AbortSignal): Promise<void> {
    const taints = taintsAfter(node, change, this.#client.clock.now());
    if (taints !== undefined) await patchTaints(this.#client, node, taints, signal);
  }

  #record(node: Node, reason: string, message: string): void {
    this.#events.record(node, { type: "Normal", reason, message }, nodes);
  }
}
