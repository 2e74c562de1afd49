/** Keeps the status of CustomResourceDefinitions: names, approval, and the end of those that are being deleted. */
import {
  acceptNames,
  apiApprovalCondition,
  type apiextensionsV1,
  conditionOf,
  establish,
  loadDynamic,
  noteCondition,
  saysTheSame,
} from "@coxswain/api";
import { type Clock, conflict, goQuote, isConflict, isNotFound, type KubeObject, type RandomSource, type Timer } from "@coxswain/machinery";
import type { Entry, Replacement, Revision } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { wholeSeconds } from "../registry/metadata.ts";
import { systemContext } from "../registry/system-context.ts";
import { cloneJson } from "../storage/clone-json.ts";
import { contentionOf } from "./contended-names.ts";
import type { InstanceDeletion, InstanceDeletionOptions } from "./instance-deletion.ts";

type Crd = apiextensionsV1.CustomResourceDefinition;
type Condition = apiextensionsV1.CustomResourceDefinitionCondition;

/** With this finalizer a definition outlives its instances. */
const cleanup = "customresourcecleanup.apiextensions.k8s.io";

const retryMs = 1_000;
const definitionsResource = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };

export interface DefinitionControllerOptions {
  readonly served: Pick<ServedResources, "find">;
  /** Whether other servers keep the same definitions. */
  readonly isShared: boolean;
  readonly registry: Pick<GenericRegistry, "update">;
  readonly createDeletion: (options: InstanceDeletionOptions) => InstanceDeletion;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

export class DefinitionController implements Disposable {
  readonly #options: DefinitionControllerOptions;
  /** All that are stored, by name. */
  readonly #crds = new Map<string, Readonly<Crd>>();
  /** The same as they are stored. */
  readonly #entries = new Map<string, Entry>();
  /** What is about to be stored: names count as taken from the moment that a definition gets them. */
  readonly #claims = new Map<string, Readonly<Crd>>();
  /** Those that are reconciled now, and whether they have changed since. */
  readonly #busy = new Map<string, { again: boolean }>();
  readonly #retries = new Map<string, Timer>();
  readonly #sweeps = new Set<Timer>();
  readonly #deletions = new Map<string, InstanceDeletion>();
  #disposed = false;

  constructor(options: DefinitionControllerOptions) {
    this.#options = options;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const timer of [...this.#retries.values(), ...this.#sweeps]) timer[Symbol.dispose]();
    for (const deletion of this.#deletions.values()) deletion[Symbol.dispose]();
  }

  /** The definition was created, or something of it has changed. */
  observe(name: string, crd: Readonly<Crd>, entry: Entry): void {
    this.#crds.set(name, crd);
    this.#entries.set(name, entry);
    this.#enqueue(name);
  }

  #enqueue(name: string): void {
    const busy = this.#busy.get(name);
    if (busy !== undefined) busy.again = true;
    else if (this.#isDue(name)) void this.#work(name);
  }

  /** The definition is gone: its names are free, and what was created until `revision` goes too. */
  forget(name: string, revision: Revision): void {
    const crd = this.#crds.get(name);
    this.#crds.delete(name);
    this.#entries.delete(name);
    const deletion = this.#deletions.get(name);
    this.#deletions.delete(name);
    if (deletion !== undefined) void this.#sweep(name, deletion, revision);
    if (crd !== undefined) this.#offerNames(name, crd.spec.group);
  }

  async #sweep(name: string, deletion: InstanceDeletion, gone: Revision): Promise<void> {
    try {
      await deletion.sweep(gone);
    } catch (error) {
      if (this.#disposed) return;
      this.#options.log.error({ error, name }, "failed to delete the last instances");
      const timer = this.#options.clock.schedule(retryMs, () => {
        this.#sweeps.delete(timer);
        void this.#sweep(name, deletion, gone);
      });
      timer.unref();
      this.#sweeps.add(timer);
    }
  }

  /** Names of the group may have become free: those that wait for some are reconciled again. */
  #offerNames(from: string, group: string): void {
    for (const [other, { spec, status }] of this.#crds) {
      const waits = status?.conditions?.some((one) => one.type === "NamesAccepted" && one.status !== "True");
      if (waits && other !== from && spec.group === group) this.#enqueue(other);
    }
  }

  #isDue(name: string): boolean {
    const crd = this.#crds.get(name);
    return crd !== undefined && (this.#wanted(crd) !== undefined || isEnding(crd));
  }

  async #work(name: string): Promise<void> {
    const state = { again: false };
    this.#busy.set(name, state);
    try {
      await loadDynamic();
      do {
        state.again = false;
        await this.#reconcile(name);
      } while (state.again && !this.#disposed);
    } catch (error) {
      if (!this.#disposed) this.#retryLater(name, error);
    } finally {
      this.#busy.delete(name);
    }
  }

  #retryLater(name: string, error: unknown): void {
    if (!isConflict(error)) this.#options.log.error({ error, name }, "failed to reconcile a CustomResourceDefinition");
    this.#retries.get(name)?.[Symbol.dispose]();
    const timer = this.#options.clock.schedule(retryMs, () => {
      this.#retries.delete(name);
      this.#enqueue(name);
    });
    timer.unref();
    this.#retries.set(name, timer);
  }

  async #reconcile(name: string): Promise<void> {
    const crd = this.#crds.get(name);
    if (crd === undefined) return;
    if (this.#wanted(crd) !== undefined) await this.#settle(name, crd.spec.group);
    if (isEnding(crd)) await this.#end(name, crd);
  }

  async #settle(name: string, group: string): Promise<void> {
    try {
      const settled = (current: Readonly<Crd>): Readonly<Crd> | undefined => {
        const next = this.#wanted(current);
        this.#claims.set(name, next ?? current);
        return next;
      };
      await this.#write(name, settled, this.#options.isShared ? () => this.#rivalsOf(name) : undefined);
    } finally {
      this.#claims.delete(name);
      this.#offerNames(name, group);
    }
  }

  /** Written as they are, with the definition that gets a name for which they ask. @throws conflict() once it is another's */
  #rivalsOf(name: string): readonly Replacement[] {
    const next = this.#claims.get(name);
    if (next === undefined) return [];
    const { rivals, taken } = contentionOf(this.#crds.get(name), next, this.#crds.values());
    if (taken !== undefined) throw conflict(definitionsResource, name, `the name ${goQuote(taken)} is another definition's by now`);
    const entries = rivals.map(({ metadata }) => this.#entries.get(metadata?.name ?? "")).filter((entry) => entry !== undefined);
    return entries.map(({ key, value, modified }) => ({ key, value, expect: modified }));
  }

  *#holders(): Generator<Readonly<Crd>> {
    for (const [name, crd] of this.#crds) yield this.#claims.get(name) ?? crd;
  }

  /** The status as it should be; undefined when it is. */
  #wanted(crd: Readonly<Crd>): Crd | undefined {
    const now = wholeSeconds(this.#options.clock.now());
    let next: Readonly<Crd> = crd;
    const note = (condition: Condition | undefined): void => {
      if (condition === undefined || saysTheSame(condition, conditionOf(next, condition.type))) return;
      next = withStatus(next, { conditions: noteCondition(next.status?.conditions ?? [], condition, now) });
    };
    const names = acceptNames(crd, this.#holders());
    if (names !== undefined) {
      next = withStatus(next, { acceptedNames: cloneJson(names.acceptedNames) });
      for (const condition of names.conditions) note(condition);
    }
    note(establish(next));
    note(apiApprovalCondition(crd));
    return next === crd ? undefined : next;
  }

  async #end(name: string, crd: Readonly<Crd>): Promise<void> {
    if (conditionOf(crd, "Terminating")?.reason === "InstanceDeletionPending") {
      await this.#write(name, (current) =>
        this.#terminating(current, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
      );
    }
    if (conditionOf(crd, "Established")?.status !== "True") {
      await this.#write(name, (current) =>
        released(this.#terminating(current, "False", "NeverEstablished", "resource was never established")),
      );
      return;
    }
    const deletion = this.#deletions.get(name) ?? this.#options.createDeletion({ crd, onProgress: () => this.#enqueue(name) });
    this.#deletions.set(name, deletion);
    if (await deletion.attempt())
      await this.#write(name, (current) =>
        released(this.#terminating(current, "False", "InstanceDeletionCompleted", "removed all instances")),
      );
  }

  #terminating(crd: Readonly<Crd>, status: string, reason: string, message: string): Crd {
    const now = wholeSeconds(this.#options.clock.now());
    return withStatus(crd, {
      conditions: noteCondition(crd.status?.conditions ?? [], { type: "Terminating", status, reason, message }, now),
    });
  }

  async #write(
    name: string,
    change: (current: Readonly<Crd>) => Readonly<Crd> | undefined,
    also?: () => readonly Replacement[],
  ): Promise<void> {
    const { served, registry, random } = this.#options;
    const resource = served.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    if (resource === undefined) return;
    const ctx = systemContext(random, resource, { component: "kube-apiserver", verb: "update", name, subresource: "status" });
    try {
      await registry.update(ctx, name, {
        part: "free",
        dryRun: false,
        also,
        next: (current) => withOwnMetadata((change(current as Readonly<Crd>) ?? current) as KubeObject),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** What a write changes in place; a schema, which may be large, is neither copied nor compared. */
function withOwnMetadata(crd: Readonly<KubeObject>): KubeObject {
  const { managedFields: _, ...metadata } = crd.metadata ?? {};
  return { ...crd, metadata: cloneJson(metadata) };
}

const isEnding = ({ metadata }: Readonly<Crd>): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(cleanup) === true;

const withStatus = (crd: Readonly<Crd>, status: Partial<NonNullable<Crd["status"]>>): Crd => ({
  ...crd,
  status: { ...crd.status, ...status },
});

const released = (crd: Crd): Crd => ({
  ...crd,
  metadata: { ...crd.metadata, finalizers: crd.metadata?.finalizers?.filter((finalizer) => finalizer !== cleanup) ?? [] },
});
