/** Runs controllers together: with one set of caches, one leadership, one health and one set of figures. */
import { AsyncDisposableStack, DisposableStack, type KubeObject, MetricsRegistry, type RandomSource } from "@coxswain/machinery";
import type { Client } from "../contracts/client.ts";
import type { ControllerLog } from "../contracts/controller-log.ts";
import type { ReconcileFailure } from "../contracts/reconcile-failures.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { createEventRecorder, type EventRecorder } from "../events/event-recorder.ts";
import { catchUp } from "../expectations/catch-up.ts";
import { reportHotLoops } from "../hot-loop/report-hot-loops.ts";
import type { Informer } from "../informer/informer.ts";
import { createInformerSet, type InformerSet } from "../informer/informer-set.ts";
import { sharedInformers } from "../informer/shared-informers.ts";
import { type LeaderElectionOptions, runAsLeader } from "../leader-election/run-as-leader.ts";
import { silentLog, withFields } from "../logging/controller-log.ts";
import { countRequests } from "../metrics/count-requests.ts";
import { cacheOf } from "./caches.ts";
import type { Controller } from "./controller.ts";
import { runController } from "./controller-run.ts";
import { FailureRecord } from "./failure-record.ts";
import type { SourceConnection } from "./source.ts";
import type { Task } from "./task.ts";

/** What `controllerManager` runs controllers with. */
export interface ManagerOptions {
  readonly client: Client;
  /**
   * What each controller and task that names a service account works with, by that name: as kube-controller-manager's
   * `--use-service-account-credentials`. Caches and the election are the manager's own. Default: `client`.
   */
  readonly clientForServiceAccount?: (name: string) => Client;
  /** Of several processes one works at a time. The others keep their caches warm. Its `identity` gets a uuid unless given. */
  readonly leaderElection?: Omit<LeaderElectionOptions, "client" | "signal" | "identity" | "metrics" | "events"> & {
    readonly identity?: string;
  };
  /**
   * Copies that others in the process share, read as whoever made the set, which runs longer than this. Default: the manager's own, read
   * as `client`.
   */
  readonly informers?: InformerSet | undefined;
  /** How long the first complete copies may take, and a new leader's until they show all that the last one has written. Default: 120,000. */
  readonly syncTimeoutMs?: number;
  /** Default: the client's, or else none. */
  readonly log?: ControllerLog;
  /** Default: one of its own. */
  readonly metrics?: MetricsRegistry;
  /** In the leader's identity, and in Events of those that name no other. Default: the first controller's name. */
  readonly component?: string;
}

/** Whether controllers run and their caches are up to date. */
export interface Health {
  readonly ok: boolean;
  /** What is amiss, for people. */
  readonly problems: readonly string[];
  /**
   * The objects whose last reconcile failed, the latest first. They leave `ok` as it is: who asks for health decides whether the
   * process is to be restarted, which helps no object, and would stop the work on all others.
   */
  readonly failing: readonly ReconcileFailure[];
}

/** Controllers and tasks that run together, on shared caches and under one leadership. */
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

/** Creates a manager of these controllers and tasks, which `run` starts. @throws TypeError when two of them have one name */
export function controllerManager(controllers: readonly (Controller | Task)[], options: ManagerOptions): ControllerManager {
  const names = controllers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new TypeError(`two controllers are named ${twice}`);
  return new Manager(controllers, options);
}

/** Runs these controllers and tasks until the signal is aborted. @throws as `ControllerManager.run` */
export const runControllers = (
  controllers: readonly (Controller | Task)[],
  { signal, ...options }: ManagerOptions & { readonly signal: AbortSignal },
): Promise<void> => controllerManager(controllers, options).run(signal);

interface Connected {
  readonly controller: Controller;
  readonly connections: readonly SourceConnection[];
  readonly failures: FailureRecord;
}

interface Work {
  readonly informers: InformerSet;
  readonly recorders: Recorders;
  /** Lets a client write as long as the work may go on. */
  readonly within: (client: Client) => Client;
}

/** The recorder of a component; of the manager's own without one. */
type Recorders = (component: string | undefined, serviceAccount?: string) => EventRecorder;

const isController = (one: Controller | Task): one is Controller => "reconcile" in one;

const isTask = (one: Controller | Task): one is Task => !isController(one);

class Manager implements ControllerManager {
  readonly ready: Promise<void>;
  readonly metrics: MetricsRegistry;
  readonly #controllers: readonly Controller[];
  readonly #tasks: readonly Task[];
  readonly #options: ManagerOptions;
  readonly #client: Client;
  readonly #log: ControllerLog;
  readonly #component: string;
  readonly #ready = Promise.withResolvers<void>();
  #connected: readonly Connected[] = [];
  #state: "new" | "running" | "ended" = "new";

  constructor(controllers: readonly (Controller | Task)[], options: ManagerOptions) {
    const { client } = options;
    this.#controllers = controllers.filter(isController);
    this.#tasks = controllers.filter(isTask);
    this.#options = options;
    this.metrics = options.metrics ?? new MetricsRegistry();
    this.#client = client.with({ transport: countRequests(client.transport, this.metrics) });
    this.#log = options.log ?? client.log ?? silentLog;
    this.#component = options.component ?? controllers[0]?.name ?? "controller-manager";
    this.ready = this.#ready.promise;
    // Who does not wait for it need not handle that it never comes.
    this.ready.catch(() => undefined);
  }

  healthy(): Health {
    if (this.#state !== "running") return { ok: false, problems: ["the controllers do not run"], failing: [] };
    const problems = [...this.#informers()].flatMap(({ ref, freshness: { state, since } }) =>
      state === "fresh" ? [] : `the copy of ${ref.resource} is ${state} since ${new Date(since).toISOString()}`,
    );
    return { ok: problems.length === 0, problems, failing: this.#failing() };
  }

  #failing(): readonly ReconcileFailure[] {
    return this.#connected.flatMap(({ failures }) => failures.list()).sort((a, b) => b.at - a.at);
  }

  #informers(): Set<Informer> {
    return new Set(this.#connected.flatMap(({ connections }) => connections.map(({ informer }) => informer)));
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw new TypeError("controllers run once");
    this.#state = "running";
    const stop = new AbortController();
    const { informers: shared } = this.#options;
    const informers =
      shared === undefined ? createInformerSet(this.#client, { log: this.#log }) : sharedInformers(shared, this.#client.clock);
    using connections = new DisposableStack();
    this.#connected = this.#controllers.map((controller) => {
      return { controller, connections: connect(controller, informers, connections), failures: new FailureRecord() };
    });
    using _failures = this.#client.reconcileFailures.add(() => this.#failing());
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
    const { syncTimeoutMs = 120_000 } = this.#options;
    await informers.synced({ signal, timeoutMs: syncTimeoutMs });
    this.#ready.resolve();
    await using stack = new AsyncDisposableStack();
    const recorders = this.#recorders(stack);
    const { leaderElection } = this.#options;
    if (leaderElection === undefined) return await this.#work({ informers, recorders, within: (client) => client }, signal);
    const identity = leaderElection.identity ?? identityOf(this.#component, this.#client.random);
    const election = { ...leaderElection, identity, client: this.#client, metrics: this.metrics, events: recorders(undefined), signal };
    await runAsLeader(election, async (term) => {
      // Another may have led until now, and written what the copies do not show yet; a Lease that was created again, or that had
      // this identity before, does not show it. The copies come from before the election, even at the first start.
      await catchUp(this.#client, this.#informers(), { signal: term.signal, timeoutMs: syncTimeoutMs });
      await this.#work({ informers, recorders, within: (client) => term.fenced(client) }, term.signal);
    });
  }

  /** One for each component that says something, as who does its work. */
  #recorders(stack: AsyncDisposableStack): Recorders {
    const made = new Map<string, EventRecorder>();
    return (component = this.#component, serviceAccount = undefined) => {
      const key = JSON.stringify([component, serviceAccount]);
      const known = made.get(key);
      if (known !== undefined) return known;
      const client = this.#clientFor(serviceAccount) ?? this.#client;
      const recorder = stack.use(createEventRecorder({ client, component, metrics: this.metrics }));
      made.set(key, recorder);
      return recorder;
    };
  }

  #clientFor(serviceAccount: string | undefined): Client | undefined {
    const client = serviceAccount === undefined ? undefined : this.#options.clientForServiceAccount?.(serviceAccount);
    return client?.with({ transport: countRequests(client.transport, this.metrics) });
  }

  /** When one controller or task fails the others end too. */
  async #work({ informers, recorders, within }: Work, signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const end = AbortSignal.any([signal, failed.signal]);
    const { clock } = this.#client;
    const own = within(this.#client);
    const settingOf = ({ serviceAccount }: Controller | Task) => {
      const client = this.#clientFor(serviceAccount);
      const reader = client === undefined ? undefined : this.#client;
      return { client: client === undefined ? own : within(client), reader, informers, metrics: this.metrics };
    };
    using _ = reportHotLoops({ informers: this.#informers(), clock, events: recorders(undefined), metrics: this.metrics, log: this.#log });
    const running = [
      ...this.#connected.map(({ controller, connections, failures }) => {
        const events = recorders(controller.component, controller.serviceAccount);
        return runController(controller, { ...settingOf(controller), connections, failures, events, log: this.#log }, end);
      }),
      ...this.#tasks.map((task) => {
        const log = withFields(this.#log, { controller: task.name });
        return task.run({ ...settingOf(task), events: recorders(task.component, task.serviceAccount), log }, end);
      }),
    ];
    for (const one of running) one.catch((error: unknown) => failed.abort(error));
    const ended = await Promise.allSettled(running);
    const errors = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} controllers failed`);
  }
}

function connect({ sources, namespace }: Controller, informers: InformerSet, stack: DisposableStack): readonly SourceConnection[] {
  const connections: SourceConnection[] = [];
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
