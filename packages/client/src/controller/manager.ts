/** Runs controllers together: with one set of caches, one leadership, one health and one set of figures. */
import type { KubeObject, RandomSource } from "@coxswain/machinery";
import { createEventRecorder, type EventRecorder } from "../events/event-recorder.ts";
import { createInformerSet, type InformerSet } from "../informer/informer-set.ts";
import { type LeaderElectionOptions, runAsLeader } from "../leader-election/run-as-leader.ts";
import { countRequests } from "../metrics/count-requests.ts";
import { MetricsRegistry } from "../metrics/registry.ts";
import type { Client } from "../rest/client.ts";
import type { ResourceRef } from "../rest/resource-ref.ts";
import { cacheOf } from "./caches.ts";
import type { Controller } from "./controller.ts";
import { type ControllerLog, silentLog } from "./controller-log.ts";
import { runController } from "./controller-run.ts";
import type { Connection } from "./source.ts";

export interface ManagerOptions {
  readonly client: Client;
  /** Of several processes one works at a time. The others keep their caches warm. Its `identity` gets a uuid unless given. */
  readonly leaderElection?: Omit<LeaderElectionOptions, "client" | "signal" | "identity" | "metrics" | "events"> & {
    readonly identity?: string;
  };
  /** How long the first complete copies may take. Default: 120,000. */
  readonly syncTimeoutMs?: number;
  /** Default: says nothing. */
  readonly log?: ControllerLog;
  /** Default: one of its own. */
  readonly metrics?: MetricsRegistry;
  /** In Events and in the leader's identity. Default: the first controller's name. */
  readonly component?: string;
}

export interface Health {
  readonly ok: boolean;
  /** What is amiss, for people. */
  readonly problems: readonly string[];
}

export interface ControllerManager {
  /** Resolves with the first complete copies of all that the controllers watch; rejects when `run` ends before. */
  readonly ready: Promise<void>;
  healthy(): Health;
  readonly metrics: MetricsRegistry;
  /**
   * Until the signal is aborted and all that ran has ended; once only.
   * @throws Error naming what did not sync, or what did not end, in time; LeadershipLostError
   */
  run(signal: AbortSignal): Promise<void>;
}

/** @throws TypeError when two controllers have one name */
export function controllerManager(controllers: readonly Controller[], options: ManagerOptions): ControllerManager {
  const names = controllers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new TypeError(`two controllers are named ${twice}`);
  return new Manager(controllers, options);
}

export const runControllers = (
  controllers: readonly Controller[],
  { signal, ...options }: ManagerOptions & { readonly signal: AbortSignal },
): Promise<void> => controllerManager(controllers, options).run(signal);

interface Connected {
  readonly controller: Controller;
  readonly connections: readonly Connection[];
}

class Manager implements ControllerManager {
  readonly ready: Promise<void>;
  readonly metrics: MetricsRegistry;
  readonly #controllers: readonly Controller[];
  readonly #options: ManagerOptions;
  readonly #client: Client;
  readonly #log: ControllerLog;
  readonly #component: string;
  readonly #ready = Promise.withResolvers<void>();
  #connected: readonly Connected[] = [];
  #state: "new" | "running" | "ended" = "new";

  constructor(controllers: readonly Controller[], options: ManagerOptions) {
    const { client } = options;
    this.#controllers = controllers;
    this.#options = options;
    this.metrics = options.metrics ?? new MetricsRegistry();
    this.#client = client.with({ transport: countRequests(client.transport, this.metrics) });
    this.#log = options.log ?? silentLog;
    this.#component = options.component ?? controllers[0]?.name ?? "controller-manager";
    this.ready = this.#ready.promise;
    // Who does not wait for it need not handle that it never comes.
    this.ready.catch(() => undefined);
  }

  healthy(): Health {
    if (this.#state !== "running") return { ok: false, problems: ["the controllers do not run"] };
    const informers = new Set(this.#connected.flatMap(({ connections }) => connections.map(({ informer }) => informer)));
    const problems = [...informers].flatMap(({ ref, freshness: { state, since } }) =>
      state === "fresh" ? [] : `the copy of ${ref.resource} is ${state} since ${new Date(since).toISOString()}`,
    );
    return { ok: problems.length === 0, problems };
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw new TypeError("controllers run once");
    this.#state = "running";
    const stop = new AbortController();
    const informers = createInformerSet(this.#client, { log: this.#log });
    using connections = new DisposableStack();
    this.#connected = this.#controllers.map((controller) => ({ controller, connections: connect(controller, informers, connections) }));
    const failed = new AbortController();
    const following = informers.run(stop.signal).catch((error: unknown) => failed.abort(error));
    try {
      const end = AbortSignal.any([signal, failed.signal]);
      await this.#lead(informers, end).catch((error: unknown) => {
        if (!end.aborted || error !== end.reason) throw error;
      });
      failed.signal.throwIfAborted();
    } finally {
      stop.abort(new Error("the controllers have ended"));
      await following;
      this.#ready.reject(new Error("the controllers have ended"));
      this.#state = "ended";
    }
  }

  async #lead(informers: InformerSet, signal: AbortSignal): Promise<void> {
    await informers.synced({ signal, timeoutMs: this.#options.syncTimeoutMs ?? 120_000 });
    this.#ready.resolve();
    await using events = createEventRecorder({ client: this.#client, component: this.#component, metrics: this.metrics });
    const { leaderElection } = this.#options;
    if (leaderElection === undefined) return await this.#work(informers, this.#client, events, signal);
    const identity = leaderElection.identity ?? identityOf(this.#component, this.#client.random);
    const election = { ...leaderElection, identity, client: this.#client, metrics: this.metrics, events, signal };
    await runAsLeader(election, (term) => this.#work(informers, term.fenced(this.#client), events, term.signal));
  }

  /** When one controller fails the others end too. */
  async #work(informers: InformerSet, client: Client, events: EventRecorder, signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const end = AbortSignal.any([signal, failed.signal]);
    const setting = { client, informers, events, metrics: this.metrics, log: this.#log };
    const ended = await Promise.allSettled(
      this.#connected.map(({ controller, connections }) =>
        runController(controller, { ...setting, connections }, end).catch((error: unknown) => {
          failed.abort(error);
          throw error;
        }),
      ),
    );
    const errors = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} controllers failed`);
  }
}

function connect({ sources, namespace }: Controller, informers: InformerSet, stack: DisposableStack): readonly Connection[] {
  const connections: Connection[] = [];
  const main = () => {
    const [first] = connections;
    if (first === undefined) throw new TypeError("a controller needs something to reconcile");
    return first.informer.lister;
  };
  const cache = <T extends KubeObject>(ref: ResourceRef<T>) => cacheOf(connections, ref);
  for (const source of sources) connections.push(stack.use(source.connect(informers, { namespace, main, cache })));
  return connections;
}

const identityOf = (component: string, random: RandomSource): string => `${component}_${random.uuid()}`;
