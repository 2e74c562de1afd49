/** Creating, updating and deleting objects of any resource by its strategy, as Kubernetes' generic registry does. */
import type { ResourceDefinition } from "@coxswain/api";
import type { ManagedFields } from "@coxswain/apply";
import type { Clock, KubeObject, RandomSource } from "@coxswain/machinery";
import type { Admission } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { DeleteOptions } from "../request/options.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { KeyedLock } from "../storage/keyed-lock.ts";
import type { WritableStore } from "../storage/revision.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import type { Change } from "./change.ts";
import type { ContendedObjects } from "./contended-objects.ts";
import { ObjectCreator } from "./create.ts";
import { type Deletion, ObjectDeleter } from "./delete.ts";
import { FieldManager } from "./field-management.ts";
import { ObjectWriter } from "./object-writer.ts";
import type { Outcome } from "./outcome.ts";
import { ObjectUpdater } from "./update.ts";

export interface GenericRegistryOptions {
  readonly store: WritableStore;
  readonly cache: ObjectCache;
  readonly served: ServedResources;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly eventLoop: EventLoop;
  readonly admission: Admission;
  readonly contended?: ContendedObjects | undefined;
  /** Called for custom resources whose objects from before a revision may not suit them, where another thread serves them too. */
  readonly onOutdated?: ((definition: ResourceDefinition, before: number) => void) | undefined;
}

export class GenericRegistry {
  /** Who manages which fields, for those who work it out themselves. */
  readonly fields: FieldManager;
  readonly #creator: ObjectCreator;
  readonly #updater: ObjectUpdater;
  readonly #deleter: ObjectDeleter;

  constructor(options: GenericRegistryOptions) {
    const { store, cache, clock, random, eventLoop, admission, contended } = options;
    const locks = new KeyedLock();
    const writer = new ObjectWriter(options);
    this.fields = new FieldManager(options);
    this.#creator = new ObjectCreator({ store, cache, clock, random, eventLoop, admission, fields: this.fields, writer });
    this.#updater = new ObjectUpdater({ store, cache, clock, locks, eventLoop, admission, fields: this.fields, writer, contended });
    this.#deleter = new ObjectDeleter({ store, cache, clock, locks, admission, writer });
  }

  /** `object` was decoded and defaulted for this request; it is changed. `applied` says who manages it when it comes from an apply. */
  create(ctx: RequestContext, object: KubeObject, dryRun: boolean, applied?: ManagedFields): Promise<Outcome> {
    return this.#creator.create(ctx, object, dryRun, applied);
  }

  /** Changes the object of a name, which need not be the request's. @throws notFound(), conflict() */
  update(ctx: RequestContext, name: string, change: Change): Promise<Outcome> {
    return this.#updater.update(ctx, name, change);
  }

  /** @throws notFound(), conflict() */
  delete(ctx: RequestContext, namespace: string, name: string, options: DeleteOptions): Promise<Deletion> {
    return this.#deleter.delete(ctx, namespace, name, options);
  }
}
