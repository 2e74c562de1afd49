/** The end of a CustomResourceDefinition: all of its instances go first, and those with finalizers take their time. */
import { type apiextensionsV1, customDefinitions, type ResourceDefinition, type ResourceRegistry } from "@coxswain/api";
import { isNotFound, type RandomSource } from "@coxswain/machinery";
import type { Entry, Revision, Store } from "@coxswain/store";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import type { DeleteEntry } from "../registry/delete-entry.ts";
import { systemContext } from "../registry/system-context.ts";
import type { DeleteOptions } from "../request/options.ts";
import type { BuiltIns } from "./built-ins.ts";

/** How many deletes are under way at a time, so that they share commits. */
const workers = 64;

const plainDelete: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  cascades: false,
  preconditions: {},
  // Whether the definition may go was asked when it was deleted.
  admitted: true,
};

export interface InstanceDeletionServices {
  readonly store: Store;
  readonly served: Pick<ServedResources, "of">;
  readonly definitions: Pick<ResourceRegistry, "preferred">;
  readonly builtIns: BuiltIns;
  readonly deleteEntry: DeleteEntry;
  readonly random: RandomSource;
}

export interface InstanceDeletionOptions {
  readonly crd: Readonly<apiextensionsV1.CustomResourceDefinition>;
  /** Called when an instance has gone. */
  readonly onProgress: () => void;
}

export class InstanceDeletion implements Disposable {
  readonly #services: InstanceDeletionServices;
  readonly #resource: ServedResource;
  readonly #subscription: Disposable;
  /** In which state each instance was deleted: one that waits need not be deleted again. */
  readonly #deletedAt = new Map<string, Revision>();

  readonly #hasInstances: boolean;

  constructor(services: InstanceDeletionServices, { crd, onProgress }: InstanceDeletionOptions) {
    const { store, served, definitions, builtIns } = services;
    this.#services = services;
    this.#resource = served.of(storedDefinition(definitions, crd));
    this.#hasInstances = !builtIns.holds(this.#resource.prefix);
    this.#subscription = store.subscribe(this.#resource.prefix, { after: store.revision }, ({ events }) => {
      if (events.some(({ type }) => type === "delete")) onProgress();
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  /** Deletes what is there; whether nothing is left. */
  async attempt(): Promise<boolean> {
    if (!this.#hasInstances) return true;
    const { store } = this.#services;
    const { entries } = await store.list(this.#resource.prefix);
    const pending = entries.values();
    const work = async (): Promise<void> => {
      for (const entry of pending) await this.#delete(entry);
    };
    await Promise.all(Array.from({ length: Math.min(workers, entries.length) }, work));
    const { entries: left } = await store.list(this.#resource.prefix, { limit: 1 });
    return left.length === 0;
  }

  /** Removes what is left once the definition is gone; not what has come with a later one of the same name. */
  async sweep(gone: Revision): Promise<void> {
    this[Symbol.dispose]();
    if (!this.#hasInstances) return;
    const { store } = this.#services;
    const leftOver = async (): Promise<readonly Entry[]> =>
      (await store.list(this.#resource.prefix)).entries.filter(({ created }) => created <= gone);
    // What was written in between is listed again.
    for (let left = await leftOver(); left.length > 0; left = await leftOver()) {
      for (const { key, modified } of left) await store.write({ op: "delete", key, expect: modified }, { user: "system:kube-apiserver" });
    }
  }

  async #delete(entry: Entry): Promise<void> {
    if (this.#deletedAt.get(entry.key) === entry.modified) return;
    const { random, deleteEntry } = this.#services;
    const ctx = systemContext(random, this.#resource, { component: "kube-apiserver", verb: "delete", name: "" });
    try {
      await deleteEntry(ctx, entry, plainDelete);
      this.#deletedAt.set(entry.key, entry.modified);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** The definition in whose form the instances are stored: none needs to be converted to be deleted. */
function storedDefinition(
  definitions: InstanceDeletionServices["definitions"],
  crd: Readonly<apiextensionsV1.CustomResourceDefinition>,
): ResourceDefinition {
  const names = crd.status?.acceptedNames ?? crd.spec.names;
  const live = definitions.preferred(crd.spec.group, names.plural)?.custom?.storedAs;
  const [first] = live === undefined ? customDefinitions(crd, { settledSince: 0, terminating: true }).values() : [live];
  if (first === undefined) throw new Error(`${crd.metadata?.name} has no version`);
  return first;
}
