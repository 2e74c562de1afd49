/** Keeps the condition Available of APIServices, and what is known of the servers behind them. */
import { localApiService } from "@coxswain/api";
import {
  type Clock,
  DisposableStack,
  isConflict,
  isNotFound,
  type KubeObject,
  type RandomSource,
  type Timer,
  wireTime,
} from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { systemContext } from "../registry/system-context.ts";
import { cloneJson } from "../storage/clone-json.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import type { ApiServiceIndex } from "./api-service-index.ts";
import { type Availability, checkAvailability } from "./availability-check.ts";
import type { ApiService, Backend } from "./backend.ts";
import type { BackendConnections } from "./backend-connections.ts";

export interface AvailabilityControllerOptions {
  readonly reader: ObjectReader;
  readonly registry: GenericRegistry;
  readonly index: Pick<ApiServiceIndex, "backend" | "backends">;
  readonly connections: Pick<BackendConnections, "endpointOf" | "send">;
  /** Called after each check, before the condition says what it has found. */
  readonly checked: (backend: Backend, isAvailable: boolean) => Promise<void>;
  /** Otherwise it only checks. */
  readonly keepsConditions: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Servers fail without any object's change. */
const recheckMs = 30_000;
const firstRetryMs = 250;

interface Watched {
  /** Whether something has changed since the check under way began. */
  isDue: boolean;
  running: Promise<void> | undefined;
  failures: number;
  timer: Timer | undefined;
  /** What the last check found, with what it was about. */
  found: { readonly of: string; readonly availability: Availability } | undefined;
}

export class AvailabilityController implements AsyncDisposable {
  readonly #options: AvailabilityControllerOptions;
  /** By the APIService's name. */
  readonly #watched = new Map<string, Watched>();
  readonly #subscriptions = new DisposableStack();
  /** Whether Services and their endpoints are followed. */
  #follows = false;
  #stopped = false;

  constructor(options: AvailabilityControllerOptions) {
    this.#options = options;
  }

  /** An APIService is new, other than it was, or gone. */
  changed(name: string, object: ApiService | undefined): void {
    const backend = this.#options.index.backend(name);
    if (backend === undefined) {
      this.#forget(name);
      if (object !== undefined && (object.spec?.service ?? undefined) === undefined && !says(object, localApiService as Availability))
        void this.#write(name, undefined, localApiService as Availability);
      return;
    }
    this.#follow();
    const { found } = this.#watched.get(name) ?? {};
    // Another server may have found otherwise, and would check again in turn: the conditions of both stand until the next check of each.
    const isChecked = found?.of === identityOf(backend) && (object === undefined || says(object, found.availability) || this.#isShared);
    if (!isChecked) this.#check(name);
  }

  get #isShared(): boolean {
    return this.#options.reader.store.freshen !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#subscriptions[Symbol.dispose]();
    const running = [...this.#watched.values()].map((one) => one.running);
    for (const name of [...this.#watched.keys()]) this.#forget(name);
    await Promise.all(running);
  }

  /** From the first server on that is not this one. */
  #follow(): void {
    if (this.#follows) return;
    this.#follows = true;
    const { store, served, cache } = this.#options.reader;
    const after = store.revision;
    const follow = (group: string, resource: string, nameOf: (entry: Entry) => string | undefined): void => {
      const prefix = served.find(group, "v1", resource)?.prefix;
      if (prefix === undefined) return;
      const subscription = store.subscribe(prefix, { after }, ({ events }) => {
        for (const event of events) {
          const entry = event.type === "put" ? event.entry : event.previous;
          if (entry !== undefined) this.#serviceChanged(cache.objectOf(entry).metadata?.namespace ?? "", nameOf(entry));
        }
      });
      this.#subscriptions.use(subscription);
    };
    const ownName = (entry: Entry): string | undefined => cache.objectOf(entry).metadata?.name;
    follow("", "services", ownName);
    follow("", "endpoints", ownName);
    follow("discovery.k8s.io", "endpointslices", (entry) => cache.labelsOf(entry)["kubernetes.io/service-name"]);
  }

  #serviceChanged(namespace: string, name: string | undefined): void {
    for (const { name: apiService, service } of this.#options.index.backends)
      if (service.namespace === namespace && service.name === name) this.#check(apiService);
  }

  #forget(name: string): void {
    const watched = this.#watched.get(name);
    watched?.timer?.[Symbol.dispose]();
    this.#watched.delete(name);
  }

  /** Now, or again once the check under way has ended. */
  #check(name: string): void {
    if (this.#stopped) return;
    const watched = this.#watched.get(name) ?? { isDue: false, running: undefined, failures: 0, timer: undefined, found: undefined };
    this.#watched.set(name, watched);
    watched.isDue = true;
    watched.timer?.[Symbol.dispose]();
    watched.running ??= this.#run(name, watched).finally(() => {
      watched.running = undefined;
    });
  }

  async #run(name: string, watched: Watched): Promise<void> {
    const { clock, log } = this.#options;
    const isWatched = (): boolean => !this.#stopped && this.#watched.get(name) === watched;
    while (watched.isDue && isWatched()) {
      watched.isDue = false;
      try {
        // What is missing comes with the change of an object: only a server that does not answer is asked again and again.
        watched.failures = (await this.#checkOnce(name, watched)) === "FailedDiscoveryCheck" ? watched.failures + 1 : 0;
      } catch (error) {
        watched.failures += 1;
        log.warn({ error, apiService: name }, "failed to keep the condition of an APIService");
      }
    }
    if (!isWatched()) return;
    const afterMs = watched.failures === 0 ? recheckMs : Math.min(recheckMs, firstRetryMs * 2 ** (watched.failures - 1));
    watched.timer = clock.schedule(afterMs, () => this.#check(name));
    watched.timer.unref();
  }

  /** The reason of the condition; undefined where there is nothing to check. */
  async #checkOnce(name: string, watched: Watched): Promise<string | undefined> {
    const { index, checked, log } = this.#options;
    const backend = index.backend(name);
    if (backend === undefined) return undefined;
    const availability = await checkAvailability(this.#options, backend);
    const isAvailable = availability.status === "True";
    await checked(backend, isAvailable);
    watched.found = { of: identityOf(backend), availability };
    const { reason, message } = availability;
    if (backend.isAvailable !== isAvailable)
      log.info({ apiService: name, isAvailable, reason, message }, "the availability of an APIService has changed");
    await this.#write(name, backend, availability);
    return reason;
  }

  /** What says it already stays. @param backend that was checked: of another one, nothing is known */
  async #write(name: string, backend: Backend | undefined, availability: Availability): Promise<void> {
    const { reader, registry, random, clock, index, keepsConditions } = this.#options;
    const resource = reader.served.find("apiregistration.k8s.io", "v1", "apiservices");
    if (resource === undefined || this.#stopped || !keepsConditions) return;
    const context = systemContext(random, resource, {
      component: "kube-apiserver",
      user: "system:apiserver",
      verb: "update",
      name,
      subresource: "status",
    });
    const now = wireTime(clock.now());
    try {
      await registry.update(context, name, {
        part: "status",
        dryRun: false,
        next: (current) => {
          const object = cloneJson(current as KubeObject) as KubeObject & { status?: ApiService["status"] };
          const checked = index.backend(name);
          const isOther =
            backend === undefined ? checked !== undefined : checked === undefined || identityOf(checked) !== identityOf(backend);
          if (!isOther && !says(object as ApiService, availability)) object.status = withCondition(object.status, availability, now);
          return object;
        },
      });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** All that a check depends on. */
const identityOf = ({ isAvailable: _, ...backend }: Backend): string => JSON.stringify(backend);

function says({ status }: ApiService, { status: state, reason, message }: Availability): boolean {
  const known = status?.conditions?.find(({ type }) => type === "Available");
  return known !== undefined && known.status === state && known.reason === reason && known.message === message;
}

function withCondition(
  status: ApiService["status"],
  { status: state, reason, message }: Availability,
  now: string,
): NonNullable<ApiService["status"]> {
  const known = status?.conditions?.find(({ type }) => type === "Available");
  const lastTransitionTime = known?.status === state ? (known.lastTransitionTime ?? now) : now;
  const condition = { type: "Available", status: state, lastTransitionTime, reason, message };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== "Available");
  return { ...status, conditions: [...others, condition] };
}
