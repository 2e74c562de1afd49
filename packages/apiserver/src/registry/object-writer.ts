/** The write itself: an object's bytes under its key, if no other writer was faster. */

import type { ResourceDefinition } from "@coxswain/api";
import type { ManagedFields } from "@coxswain/apply";
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { Compare, Entry, Replacement, Revision, Write, WriteNote, WriteResult } from "@coxswain/store";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import { ttlSecondsOf } from "../storage/event-ttl.ts";
import { KeyedLock } from "../storage/keyed-lock.ts";
import type { WritableStore } from "../storage/revision.ts";
import { withSortedKeys } from "../storage/sorted-keys.ts";
import { encodeCustom, encodeObject, type ObjectCache } from "../storage/stored-object.ts";
import { convertedTo, inStorageVersion } from "../storage/versions.ts";
import { maxWaitMs, requestTimedOut } from "./guaranteed-update.ts";

export interface Put {
  readonly key: string;
  readonly object: KubeObject;
  /** Who manages its fields, as far as the writer knows. */
  readonly managed?: ManagedFields;
  readonly expect: Extract<Write, { op: "put" }>["expect"];
  /** What the object relies on; asked again when that has changed. Throws when it must not be stored any more. */
  readonly compares?: () => readonly Compare[] | Promise<readonly Compare[]>;
  /** What changes together with the object; asked again when that has changed. Throws when the object must not be stored any more. */
  readonly also?: (() => readonly Replacement[]) | undefined;
  /** The resourceVersion that the writer had read. */
  readonly readAt?: string | undefined;
}

export type Removal = Pick<Put, "readAt" | "also">;

export type PutResult = { readonly entry: Entry } | { readonly conflict: true; readonly actual: Entry | undefined };

interface Encoded {
  readonly value: Uint8Array;
  readonly derived: unknown;
}

export interface ObjectWriterOptions {
  readonly store: WritableStore;
  readonly cache: ObjectCache;
  readonly served: Pick<ServedResources, "serves" | "find">;
  readonly clock: Clock;
  /** Called for custom resources whose objects from before a revision may not suit them, where another thread serves them too. */
  readonly onOutdated?: ((definition: ResourceDefinition, before: number) => void) | undefined;
}

export class ObjectWriter {
  readonly #options: ObjectWriterOptions;
  readonly #locks = new KeyedLock();

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** @throws timeout() */
  put(ctx: RequestContext, put: Put): Promise<PutResult> {
    return this.#inLine(put.also, () => this.#put(ctx, put));
  }

  async #put(ctx: RequestContext, put: Put): Promise<PutResult> {
    const { store, clock } = this.#options;
    const { key, expect, compares, also, readAt } = put;
    const custom = ctx.resource.definition.custom !== undefined;
    let { resource } = ctx;
    const first = this.#encode(ctx, put, resource);
    let { value, derived } = first instanceof Promise ? await first : first;
    const note = noteOf(ctx, readAt);
    const deadline = clock.monotonic() + maxWaitMs;
    let written: WriteResult;
    do {
      if (clock.monotonic() > deadline) throw requestTimedOut();
      const inForce = custom ? this.#inForce(resource) : resource;
      if (inForce !== resource) ({ value, derived } = await this.#encode(ctx, put, inForce));
      resource = inForce;
      const together = also?.() ?? [];
      const ttlSeconds = store.expires === true ? ttlSecondsOf(resource.definition) : undefined;
      const found = compares?.();
      const relied = found instanceof Promise ? await found : found;
      const write: Write = {
        ...{ op: "put", key, value, expect, derived, ttlSeconds },
        compare: custom ? [...(relied ?? []), ...this.#servedDefinition(resource)] : relied,
        also: together.length === 0 ? undefined : together,
      };
      written = custom ? await this.#writeCustom(resource, write, note) : await store.write(write, note);
    } while (!written.ok && written.failed !== undefined);
    if (!written.ok || written.entry === undefined) return { conflict: true, actual: written.ok ? undefined : written.actual };
    return { entry: written.entry };
  }

  /** The object as the resource in force stores it. */
  #encode(ctx: RequestContext, { object, managed }: Put, inForce: ServedResource): Encoded | Promise<Encoded> {
    const form = storedForm(object, ctx.resource, inForce);
    return form instanceof Promise ? form.then((made) => this.#encoded(made, inForce, managed)) : this.#encoded(form, inForce, managed);
  }

  #encoded(form: KubeObject, { definition }: ServedResource, managed: ManagedFields | undefined): Encoded {
    const isCustom = definition.custom !== undefined;
    const object = isCustom ? withSortedKeys(form) : form;
    const value = isCustom ? encodeCustom(object) : encodeObject(object);
    return { value, derived: this.#options.cache.derivedOf(object, value.byteLength, managed) };
  }

  async #writeCustom(resource: ServedResource, write: Write, note: WriteNote): Promise<WriteResult> {
    using _outdated = this.#isServed(resource) ? undefined : outdatedWrite(resource);
    const written = await this.#options.store.write(write, note);
    if (written.ok && written.entry !== undefined) this.#noteIfOutdated(resource, written.entry);
    return written;
  }

  /** Removes what is still as `entry` has it. @throws timeout() */
  remove(ctx: RequestContext, { key, modified }: Pick<Entry, "key" | "modified">, { readAt, also }: Removal): Promise<WriteResult> {
    const { store, clock } = this.#options;
    const note = noteOf(ctx, readAt);
    return this.#inLine(also, async () => {
      const deadline = clock.monotonic() + maxWaitMs;
      for (;;) {
        const together = also?.() ?? [];
        const written = await store.write(
          { op: "delete", key, expect: modified, ...(together.length === 0 ? {} : { also: together }) },
          note,
        );
        if (written.ok || written.failed === undefined) return written;
        if (clock.monotonic() > deadline) throw requestTimedOut();
      }
    });
  }

  /** Compare-and-swap alone would be right, but those that change the same object with theirs would try over and over. */
  #inLine<T>(also: Put["also"], write: () => Promise<T>): Promise<T> {
    const shared = also?.().find(({ value, expect }) => value !== undefined && expect !== "absent");
    return shared === undefined ? write() : this.#locks.run(shared.key, write);
  }

  /**
   * What has taken the place of a definition since the request began: no server knows that an object which comes after the definition was
   * made by an earlier one. The definition itself where nothing has.
   */
  #inForce(resource: ServedResource): ServedResource {
    const { definition, stats } = resource;
    if (this.#isServed(resource)) return resource;
    const { served } = this.#options;
    for (const version of [definition.version, ...(definition.custom?.versions.keys() ?? [])]) {
      const found = served.find(definition.group, version, definition.resource);
      if (found?.stats === stats) return found;
    }
    return resource;
  }

  /** Whether the object was made by the schema that is in force. */
  #isServed({ definition }: ServedResource): boolean {
    return this.#options.served.serves(definition);
  }

  /** The schema is in force when the object is stored, too. */
  #servedDefinition(resource: ServedResource): readonly Compare[] {
    const { stored } = resource.stats;
    return stored === undefined || !this.#isServed(resource) ? [] : [{ key: stored.key, modified: stored.revision as Revision }];
  }

  /** What was made by a schema that was replaced meanwhile is normalised when it is read. */
  #noteIfOutdated(resource: ServedResource, { modified }: Entry): void {
    const { custom } = resource.definition;
    if (custom === undefined || this.#isServed(resource)) return;
    custom.stats.settledSince = Math.max(custom.stats.settledSince, modified + 1);
    this.#options.onOutdated?.(resource.definition, modified + 1);
  }
}

/** The object, which was made for one resource, as the resource in force stores it. */
const storedForm = (object: KubeObject, madeFor: ServedResource, inForce: ServedResource): KubeObject | Promise<KubeObject> =>
  inForce === madeFor ? inStorageVersion(object, madeFor) : storedByOther(object, madeFor, inForce);

async function storedByOther(object: KubeObject, madeFor: ServedResource, inForce: ServedResource): Promise<KubeObject> {
  const stored = await convertedTo(object, madeFor, inForce.storage);
  inForce.storage.definition.custom?.normalize(stored);
  return stored;
}

/** Watches see an object in the moment in which it is stored, before its revision is known here. */
function outdatedWrite({ definition: { custom } }: ServedResource): Disposable | undefined {
  if (custom === undefined) return undefined;
  const { stats } = custom;
  stats.outdatedWrites = (stats.outdatedWrites ?? 0) + 1;
  const end = (): void => {
    stats.outdatedWrites = (stats.outdatedWrites ?? 1) - 1;
  };
  return { [Symbol.dispose]: end };
}

/** As an audit event has it, but for an apply. */
function verbOf({ info: { verb, subresource }, request }: RequestContext): string {
  const type = request.headers["content-type"];
  const isApply = verb === "patch" && typeof type === "string" && type.startsWith("application/apply-patch");
  const asked = isApply ? "apply" : verb;
  return subresource === "" ? asked : `${asked}/${subresource}`;
}

/** History keeps them all. */
const maxUserAgentLength = 256;

/** Who writes, kept with the revision: what later explains conflicts. */
function noteOf(ctx: RequestContext, readAt: string | undefined): WriteNote {
  const userAgent = ctx.request.headers["user-agent"];
  return {
    user: ctx.user.name,
    manager: ctx.query.get("fieldManager") ?? "",
    userAgent: typeof userAgent === "string" ? userAgent.slice(0, maxUserAgentLength) : "",
    requestId: ctx.requestId,
    verb: verbOf(ctx),
    ...(readAt === undefined || readAt === "" ? {} : { readAt }),
  };
}
