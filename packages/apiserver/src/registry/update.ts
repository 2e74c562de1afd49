/**
 * Changing an object: optimistic concurrency as Kubernetes has it. A write that names a resourceVersion is refused with
 * 409 when the object has moved on; one that names none is made again on what is there now.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
import { dropDuplicateOwners } from "@coxswain/api";
import type { ManagedFields } from "@coxswain/apply";
import {
  type Clock,
  conflict,
  deepEqual,
  field,
  goQuote,
  invalid,
  isAlreadyExists,
  type KubeObject,
  modifiedMessage,
  notFound,
  StatusError,
  unexplained,
} from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import { type Admission, type AdmissionRequest, ReservationLost } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import type { KeyedLock } from "../storage/keyed-lock.ts";
import type { WritableStore } from "../storage/revision.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entryAt, isConverted, isInVersion, throughStorage } from "../storage/versions.ts";
import type { Change } from "./change.ts";
import type { ContendedObjects } from "./contended-objects.ts";
import { type FieldManager, noteManaged, settleTimes } from "./field-management.ts";
import { guaranteedUpdate } from "./guaranteed-update.ts";
import { intendedChange } from "./intended-change.ts";
import { metaOf, preconditionConflict, settleNamespace } from "./metadata.ts";
import type { ObjectWriter } from "./object-writer.ts";
import type { Outcome } from "./outcome.ts";
import { removeEntry } from "./remove-entry.ts";
import { staleWrite, staleWriteOf } from "./stale-write.ts";
import { applyStrategy, finishesDeletion, restoreMeta, validateChange } from "./strategy-update.ts";

export interface ObjectUpdaterOptions {
  readonly store: WritableStore;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly locks: KeyedLock;
  readonly eventLoop: EventLoop;
  readonly admission: Admission;
  readonly fields: FieldManager;
  readonly writer: ObjectWriter;
  readonly contended?: ContendedObjects | undefined;
}

export class ObjectUpdater {
  readonly #services: ObjectUpdaterOptions;

  constructor(services: ObjectUpdaterOptions) {
    this.#services = services;
  }

  /** @throws notFound(), conflict(), and what admission and the kind's rules throw */
  update(ctx: RequestContext, name: string, change: Change): Promise<Outcome> {
    const { resource, info } = ctx;
    const key = keyOf(resource, info.namespace, name);
    const attemptOn = async (entry: Entry | undefined): Promise<Outcome | "conflict"> => {
      if (entry !== undefined) return await this.#attemptReserving(ctx, name, entry, change);
      if (change.whenAbsent === undefined) throw notFound(resource.groupResource, name);
      try {
        return await change.whenAbsent();
      } catch (error) {
        // Another writer has created it meanwhile: then that object is updated. Admission may say the same of an object that is not there.
        if (isAlreadyExists(error) && (await this.#services.store.get(key)).entry !== undefined) return "conflict";
        throw error;
      }
    };
    const { contended, admission } = this.#services;
    const outcome = guaranteedUpdate<Outcome>(this.#services, key, attemptOn, {
      inLine: !isConverted(resource) && !admission.mayWait("update", resource, info.subresource),
    });
    return contended === undefined ? outcome : noted(contended, key, outcome);
  }

  /** What was reserved is reserved anew where others have taken it. */
  async #attemptReserving(ctx: RequestContext, name: string, entry: Entry, change: Change): Promise<Outcome | "conflict"> {
    try {
      return await this.#attempt(ctx, name, entry, change);
    } catch (error) {
      if (error instanceof ReservationLost) return "conflict";
      throw error;
    }
  }

  /** One try on the entry that was read; "conflict" when another writer was faster. */
  async #attempt(ctx: RequestContext, name: string, entry: Entry, change: Change): Promise<Outcome | "conflict"> {
    const { cache, clock, eventLoop, admission, fields, writer } = this.#services;
    const { resource, info } = ctx;
    if (entry.value.byteLength > ctx.maxBytes) throw new OffloadRequired();
    const converted = entryAt(cache, entry, resource);
    const seen = converted instanceof Promise ? await converted : converted;
    const current = cache.objectAt(seen, resource);
    const before = cache.managedOf(entry);
    const isLong = eventLoop.isLong(Math.max(ctx.body.byteLength, entry.value.byteLength));
    if (isLong) await eventLoop.yield();
    const made = change.next(current, before);
    let next = made instanceof Promise ? await made : made;
    if (isLong) await eventLoop.yield();
    settleNamespace(next, resource, info.namespace);
    checkVersion(ctx, { name, next, current, entry, change });
    const repeated = dropDuplicateOwners(metaOf(next), ctx.info.verb === "patch" ? "admitted" : "sent");
    if (repeated !== undefined) ctx.warnings.push(repeated);
    const readAt = next.metadata?.resourceVersion;
    const foreign = change.admitted !== "nothing" && admission.mayWait("update", resource, info.subresource);
    // Who is not of this process sees what the client has sent.
    if (!foreign) restoreMeta(metaOf(next), current.metadata ?? {}, entry);
    const recorded = change.managed === undefined ? fields.afterUpdate(ctx, current, next, before) : change.managed(before);
    const after = recorded instanceof Promise ? await recorded : recorded;
    const request = attributesOf(ctx, { name, next, current, change });
    if (request !== undefined)
      next = await this.#mutate(ctx, request, { name, entry, current, next, change, ...(foreign ? { managed: after } : {}) });
    const managed = settleTimes({ before, after }, next, current);
    applyStrategy(resource, next, current, { part: change.part, now: clock.now() });
    noteManaged(next, managed);
    const prepared = request === undefined ? undefined : shownAgain(request, { next, current, change });
    const reserving = prepared === undefined ? undefined : admission.reserve(prepared);
    using _reserved = reserving === undefined ? undefined : await reserving;
    if (isLong) await eventLoop.yield();
    validateChange(ctx, next, current, change);
    const { strategy } = resource.definition;
    if (change.part === "main" && strategy.warnings !== undefined) ctx.warnings.push(...strategy.warnings(next, current));
    if (isLong) await eventLoop.yield();
    if (prepared !== undefined) await admission.validate(prepared);
    // What is stored in another version than it would be now is written again: that is how clients migrate it.
    if (deepEqual(next, current) && isInVersion(cache, entry, resource.storage) && !(await this.#isStale(entry)))
      return { kind: "entry", entry: seen };
    if (change.dryRun) return { kind: "object", object: await throughStorage(next, resource) };
    if (finishesDeletion(next, resource)) {
      const removed = await removeEntry(this.#services, ctx, entry, readAt);
      return removed.ok ? { kind: "object", object: next } : "conflict";
    }
    const also = change.also ?? (prepared === undefined ? undefined : admission.chargesOf(prepared));
    const written = await writer.put(ctx, { key: entry.key, object: next, managed, expect: entry.modified, also, readAt });
    return "entry" in written ? { kind: "entry", entry: written.entry } : "conflict";
  }

  /** Whether it is stored otherwise than it would be now, such as with an older key. */
  #isStale({ key }: Entry): boolean | Promise<boolean> {
    return this.#services.store.isStale?.(key) ?? false;
  }

  /** Only those that are not of this process can undo what was settled before. */
  async #mutate(ctx: RequestContext, request: AdmissionRequest, attempt: Mutation): Promise<KubeObject> {
    const { resource, info } = ctx;
    const { next, current, entry, change, managed } = attempt;
    const { admitted } = change;
    if (managed !== undefined) noteManaged(next, managed);
    await this.#services.admission.mutate(request);
    const mutated = typeof admitted === "object" && request.object !== undefined ? admitted.merged(next, request.object) : next;
    if (managed === undefined && mutated === next) return mutated;
    settleNamespace(mutated, resource, info.namespace);
    restoreMeta(metaOf(mutated), current.metadata ?? {}, entry);
    const repeated = dropDuplicateOwners(metaOf(mutated), "admitted");
    if (repeated !== undefined) ctx.warnings.push(repeated);
    return mutated;
  }
}

/** Undefined where admission is not to be asked. */
function attributesOf(ctx: RequestContext, { name, next, current, change }: Omit<Try, "entry">): AdmissionRequest | undefined {
  const { resource, info, user, warnings, query } = ctx;
  const { admitted, dryRun } = change;
  if (admitted === "nothing") return undefined;
  return {
    operation: "update",
    resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name,
    user,
    dryRun,
    object: admitted === undefined ? next : admitted.sent().object,
    previous: admitted === undefined ? current : admitted.sent().previous,
    options: query,
    warnings,
    auditAnnotations: ctx.audit?.annotations,
  };
}

/** A part shows what the strategy has made of the object since. */
const shownAgain = (request: AdmissionRequest, { next, current, change: { admitted } }: Omit<Try, "name" | "entry">): AdmissionRequest =>
  typeof admitted === "object" ? { ...request, object: admitted.of(next), previous: admitted.of(current) } : request;

/** Tells how it has ended for others that change the same object. */
async function noted(contended: ContendedObjects, key: string, outcome: Promise<Outcome>): Promise<Outcome> {
  let refused = false;
  try {
    return await outcome;
  } catch (error) {
    refused = error instanceof StatusError && staleWriteOf(error)?.names === "version";
    throw error;
  } finally {
    if (refused) contended.noteRefused(key);
    else contended.noteWritten(key);
  }
}

interface Mutation extends Try {
  /** Where others than this process are asked. */
  readonly managed?: ManagedFields;
}

interface Try {
  readonly name: string;
  readonly next: KubeObject;
  readonly current: Readonly<KubeObject>;
  readonly entry: Entry;
  readonly change: Change;
}

/** uid and resourceVersion in a body are preconditions; in a patch, the uid is a field that may not change. */
function checkVersion(ctx: RequestContext, { name, next, current, entry, change }: Try): void {
  const { resource, info } = ctx;
  const meta = metaOf(next);
  const uid = current.metadata?.uid ?? "";
  if (info.verb !== "patch" && meta.uid !== undefined && meta.uid !== "" && meta.uid !== uid)
    throw staleWrite(preconditionConflict(resource, entry.key, name, { what: "UID", asked: meta.uid, actual: uid }), {
      names: "uid",
      resource,
      found: current,
    });
  const version = meta.resourceVersion ?? "";
  if (version === "" || version === "0") {
    if (resource.definition.strategy.allowUnconditionalUpdate === false) {
      // Kubernetes names the resource where it otherwise names the Kind.
      const { group, resource: kind } = resource.groupResource;
      throw invalid({ group, kind }, name, [field.invalid("metadata.resourceVersion", 0, "must be specified for an update")]);
    }
    return;
  }
  if (!/^\d+$/.test(version)) throw unexplained(`strconv.ParseUint: parsing ${goQuote(version)}: invalid syntax`);
  if (version === String(entry.modified)) return;
  const intended = intendedChange(ctx, change, next, current);
  const error = conflict(resource.groupResource, name, modifiedMessage);
  throw staleWrite(error, { names: "version", resource, found: current, readAt: version, intended });
}
