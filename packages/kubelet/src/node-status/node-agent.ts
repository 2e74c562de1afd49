/**
 * Keeps a Node in the API: registers it, reports its status and that it is alive.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/
 */
import { type Client, compareVersions, type EventRecorder, isObjectNotFound, nodes, type ResourceClient } from "@coxswain/client";
import { type Clock, isAlreadyExists, isConflict, type RandomSource, sleep, wireTime } from "@coxswain/machinery";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { keepLease } from "./keep-lease.ts";
import { keepResources } from "./kept-resources.ts";
import { eventReason, healthy, type NodeCondition, type NodeHealth, nodeConditions } from "./node-conditions.ts";
import { type Node, type NodeIdentity, nodeLabels, nodeStatus } from "./node-object.ts";
import { RuntimeView } from "./runtime-view.ts";
import { statusPatch } from "./status-patch.ts";

/** What a node agent needs: its client, who the node is, and its runtime. */
export interface NodeAgentOptions {
  readonly client: Client;
  readonly identity: NodeIdentity;
  readonly runtime: Pick<PodRuntime, "status" | "listImages">;
  readonly events: Pick<EventRecorder, "record">;
  readonly random: RandomSource;
  /** Pressure, and whatever else besides the runtime keeps Pods from running; asked at each sync. Default: nothing does. */
  readonly health?: () => NodeHealth;
  /** The Node as a watch has it, where there is one: else the API is asked at each sync. */
  readonly known?: () => Node | undefined;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * A node agent keeps one Node and its Lease up to date.
 * @see https://kubernetes.io/docs/reference/node/node-status/
 */
export interface NodeAgent {
  /** The Node as this kubelet last wrote or read it, or as a watch has it where that is newer. */
  readonly node: Node | undefined;
  /** Resolves when the Node is registered and its first status is written. */
  readonly ready: Promise<void>;
  /** Why Pods get no network of their own now. */
  readonly networkProblem: string | undefined;
  /** Reports again at once: something has changed. */
  refresh(): void;
  run(signal: AbortSignal): Promise<void>;
}

/** A kubelet observes its node so often, */
const syncMs = 10_000;
/** and writes so often when nothing has changed: the Lease says that it lives. */
const reportMs = 5 * 60_000;
/** Between two attempts to register, and up to half of that more, so that nodes which failed together do not come back together. */
const firstRetryMs = 200;
const maxRetryMs = 7_000;
const retryJitter = 0.5;

/** Makes an agent that registers a Node and reports its status once it runs. */
export const createNodeAgent = (options: NodeAgentOptions): NodeAgent => new Agent(options);

class Agent implements NodeAgent {
  readonly ready: Promise<void>;
  readonly #options: NodeAgentOptions;
  readonly #clock: Clock;
  readonly #nodes: ResourceClient<Node>;
  readonly #runtime: RuntimeView;
  readonly #ready = Promise.withResolvers<void>();
  #node: Node | undefined;
  /** By the monotonic clock. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  #wake = Promise.withResolvers<void>();

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    this.#clock = options.client.clock;
    this.#nodes = options.client.resource(nodes);
    this.#runtime = new RuntimeView(options.runtime, this.#clock);
    this.ready = this.#ready.promise;
    // Who does not wait for it need not handle that it never comes.
    this.ready.catch(() => undefined);
  }

  get node(): Node | undefined {
    const known = this.#options.known?.();
    if (known === undefined || this.#node === undefined) return known ?? this.#node;
    const order = compareVersions(known.metadata?.resourceVersion, this.#node.metadata?.resourceVersion);
    return (order ?? 1) >= 0 ? known : this.#node;
  }

  get networkProblem(): string | undefined {
    return this.#runtime.networkProblem;
  }

  refresh(): void {
    this.#wake.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#retrying(() => this.#register(signal), "failed to register the node", signal);
      this.#recordEvent("Starting", "Starting kubelet.");
      await this.#retrying(() => this.#report(signal), "failed to update the node's status", signal);
      this.#ready.resolve();
      const { client, identity, random, log } = this.#options;
      await Promise.all([
        this.#keepReporting(signal),
        keepLease({ client, node: identity.name, uid: () => this.#node?.metadata?.uid, random, log }, signal),
      ]);
    } catch (error) {
      this.#ready.reject(error);
      if (!signal.aborted) throw error;
    }
  }

  async #retrying(work: () => Promise<void>, what: string, signal: AbortSignal): Promise<void> {
    for (let pauseMs = firstRetryMs; ; pauseMs = Math.min(2 * pauseMs, maxRetryMs)) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) throw error;
        const { log, random } = this.#options;
        const againInMs = pauseMs * (1 + retryJitter * random.next());
        log.warn({ error, againInMs }, what);
        await sleep(this.#clock, againInMs, signal);
      }
    }
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { identity } = this.#options;
    const { name, taints } = identity;
    const labels = nodeLabels(identity);
    const conditions = nodeConditions({ ...healthy, problems: ["kubelet is starting"] }, [], wireTime(this.#clock.now()));
    try {
      this.#node = await this.#nodes.create(
        {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name, labels, annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" } },
          spec: taints.length === 0 ? {} : { taints: [...taints] },
          status: { ...nodeStatus(identity, []), conditions },
        },
        { signal },
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // A Node outlives its kubelet: labels that others gave it, taints and the name stay.
      this.#node = await this.#nodes.modify(
        name,
        (node) => {
          node.metadata = { ...node.metadata, labels: { ...node.metadata?.labels, ...labels } };
        },
        { signal },
      );
    }
  }

  async #keepReporting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = new AbortController();
      const waiting = sleep(this.#clock, syncMs, AbortSignal.any([signal, pause.signal]));
      await Promise.race([waiting, this.#wake.promise]).finally(() => pause.abort());
      waiting.catch(() => undefined);
      this.#wake = Promise.withResolvers();
      await this.#report(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#options.log.warn({ error }, "failed to update the node's status");
      });
    }
  }

  /** Writes what differs from what stands there: on top of the newest, since others write to it too. */
  async #report(signal: AbortSignal): Promise<void> {
    const { name } = this.#options.identity;
    const current = await this.#current(signal);
    const now = this.#clock.monotonic();
    const status = await this.#observe(current, wireTime(this.#clock.now()), signal);
    const patch = statusPatch(current.status, status, { isHeartbeatDue: now - this.#reportedAt >= reportMs });
    if (patch === undefined) return;
    const isFirst = this.#reportedAt === Number.NEGATIVE_INFINITY;
    this.#node = await this.#nodes.patch(name, { type: "strategic", patch: { status: patch } }, { subresource: "status", signal });
    this.#reportedAt = now;
    this.#recordTransitions(isFirst ? [] : (current.status?.conditions ?? []), this.#node);
  }

  async #current(signal: AbortSignal): Promise<Node> {
    const { name } = this.#options.identity;
    if (this.#options.known?.() !== undefined && this.node !== undefined) return this.node;
    try {
      return await this.#nodes.get(name, { resourceVersion: "0", signal });
    } catch (error) {
      if (!isObjectNotFound(error, nodes, name)) throw error;
      // It was deleted while its kubelet runs: it is registered again.
      await this.#register(signal).catch((again: unknown) => {
        if (!isConflict(again)) throw again;
      });
      return this.#node ?? (await this.#nodes.get(name, { signal }));
    }
  }

  async #observe({ status }: Node, time: string, signal: AbortSignal) {
    const { identity } = this.#options;
    await this.#runtime.refresh(signal);
    const { images, features } = this.#runtime;
    const health = this.#options.health?.() ?? healthy;
    const problems = [...this.#runtime.problems(), ...health.problems];
    const facts = keepResources(nodeStatus(identity, images ?? []), status);
    if (images === undefined) delete facts.images;
    if (features !== undefined) facts.features = features;
    return { ...facts, conditions: nodeConditions({ ...health, problems }, status?.conditions ?? [], time) };
  }

  #recordTransitions(before: readonly NodeCondition[], after: Node): void {
    for (const condition of after.status?.conditions ?? []) {
      if (before.some(({ type, status }) => type === condition.type && status === condition.status)) continue;
      const reason = eventReason(condition);
      this.#recordEvent(reason, `Node ${this.#options.identity.name} status is now: ${reason}`);
    }
  }

  #recordEvent(reason: string, message: string): void {
    if (this.#node !== undefined) this.#options.events.record(this.#node, { type: "Normal", reason, message }, nodes);
  }
}
