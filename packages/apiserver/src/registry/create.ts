/** Creating an object: prepare, validate, admit, and put it where nothing is. */
import { dropDuplicateOwners, validateObjectMeta } from "@coxswain/api";
import type { ManagedFields } from "@coxswain/apply";
import {
  alreadyExists,
  type Clock,
  type FieldError,
  forbidden,
  invalid,
  isAlreadyExists,
  type KubeObject,
  type RandomSource,
  StatusError,
  unexplained,
  unknownPath,
} from "@coxswain/machinery";
import type { Compare, Entry, Revision } from "@coxswain/store";
import { type Admission, type AdmissionRequest, ReservationLost } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { cloneJson } from "../storage/clone-json.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import type { WritableStore } from "../storage/revision.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { throughStorage } from "../storage/versions.ts";
import { type FieldManager, noteManaged } from "./field-management.ts";
import { maxWaitMs, requestTimedOut } from "./guaranteed-update.ts";
import { countsGeneration, generateName, metaOf, prepareNewMeta, settleNamespace, wipeMeta } from "./metadata.ts";
import type { ObjectWriter } from "./object-writer.ts";
import type { Outcome } from "./outcome.ts";

const generateAttempts = 8;
const terminating = "create not allowed while custom resource definition is terminating";

export interface ObjectCreatorOptions {
  readonly store: WritableStore;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly eventLoop: EventLoop;
  readonly admission: Admission;
  readonly fields: FieldManager;
  readonly writer: ObjectWriter;
}

export class ObjectCreator {
  readonly #services: ObjectCreatorOptions;

  constructor(services: ObjectCreatorOptions) {
    this.#services = services;
  }

  /** `object` was decoded and defaulted for this request; it is changed. `applied` says who manages it when it comes from an apply. */
  async create(ctx: RequestContext, object: KubeObject, dryRun: boolean, applied?: ManagedFields): Promise<Outcome> {
    const { eventLoop, admission, fields } = this.#services;
    const { resource, info } = ctx;
    const meta = metaOf(object);
    checkDefinition(resource, meta.name ?? "");
    settleNamespace(object, resource, info.namespace);
    wipeMeta(meta);
    const repeated = dropDuplicateOwners(meta, "sent");
    if (repeated !== undefined) ctx.warnings.push(repeated);
    const isLong = eventLoop.isLong(ctx.body.byteLength);
    if (isLong) await eventLoop.yield();
    // What admission and the strategy add from here on has no manager.
    const recorded = applied ?? fields.afterCreate(ctx, object);
    const managed = recorded instanceof Promise ? await recorded : recorded;
    const request: AdmissionRequest = {
      operation: "create",
      resource,
      subresource: "",
      namespace: info.namespace,
      name: meta.name ?? "",
      user: ctx.user,
      dryRun,
      object,
      previous: undefined,
      options: ctx.query,
      warnings: ctx.warnings,
      auditAnnotations: ctx.audit?.annotations,
      compares: [],
    };
    const foreign = admission.mayWait("create", resource, "");
    if (foreign) noteManaged(object, managed);
    await admission.mutate(request);
    if (foreign) settleMutated(ctx, object);
    const generated = (meta.name ?? "") === "" && (meta.generateName ?? "") !== "";
    if (generated) return await this.#placeGenerated(ctx, request, object, managed);
    return await this.#placeReserving(ctx, request, object, managed);
  }

  /** Where others have taken what was reserved, it begins again with what the client sent. @throws timeout() */
  #placeReserving(ctx: RequestContext, request: AdmissionRequest, sent: KubeObject, managed: ManagedFields): Promise<Outcome> {
    if (this.#services.admission.reserves(request)) return this.#placeReserved(ctx, request, sent, managed);
    this.#prepare(ctx, sent, managed);
    return this.#finish(ctx, request, sent, managed);
  }

  async #placeReserved(ctx: RequestContext, request: AdmissionRequest, sent: KubeObject, managed: ManagedFields): Promise<Outcome> {
    const { clock } = this.#services;
    for (const deadline = clock.monotonic() + maxWaitMs; ; ) {
      const object = cloneJson(sent);
      try {
        return await this.#reserveAndPlace(ctx, { ...request, object }, object, managed);
      } catch (error) {
        if (!(error instanceof ReservationLost)) throw error;
      }
      if (clock.monotonic() > deadline) throw requestTimedOut();
    }
  }

  /** Labels, selectors and more follow from the name, so each name that is tried begins with what the client sent. */
  async #placeGenerated(ctx: RequestContext, request: AdmissionRequest, sent: KubeObject, managed: ManagedFields): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      const object = cloneJson(sent);
      const name = generateName(sent.metadata?.generateName ?? "", this.#services.random);
      metaOf(object).name = name;
      try {
        return await this.#placeReserving(ctx, { ...request, object, name }, object, managed);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        if (attempt === generateAttempts) throw noUniqueName(ctx.resource, name);
      }
    }
  }

  async #reserveAndPlace(ctx: RequestContext, request: AdmissionRequest, object: KubeObject, managed: ManagedFields): Promise<Outcome> {
    this.#prepare(ctx, object, managed);
    using _reserved = await this.#services.admission.reserve(request);
    return await this.#finish(ctx, request, object, managed);
  }

  #prepare(ctx: RequestContext, object: KubeObject, managed: ManagedFields): void {
    const { clock, random } = this.#services;
    const { resource, user } = ctx;
    const meta = metaOf(object);
    prepareNewMeta(meta, clock.now(), random);
    const { strategy } = resource.definition;
    if (countsGeneration(resource, strategy)) meta.generation = 1;
    if (strategy.prepareForCreate !== undefined) {
      const by = { username: user.name, uid: user.uid, groups: user.groups, extra: user.extra };
      strategy.prepareForCreate(object, by, (text) => ctx.warnings.push(text));
    }
    noteManaged(object, managed);
  }

  async #finish(ctx: RequestContext, request: AdmissionRequest, object: KubeObject, managed: ManagedFields): Promise<Outcome> {
    const { admission, eventLoop } = this.#services;
    const { resource } = ctx;
    const { strategy } = resource.definition;
    const isLong = eventLoop.isLong(ctx.body.byteLength);
    if (isLong) await eventLoop.yield();
    checkNew(resource, object);
    strategy.canonicalize?.(object);
    if (strategy.warnings !== undefined) ctx.warnings.push(...strategy.warnings(object, undefined));
    if (isLong) await eventLoop.yield();
    await admission.validate(request);
    if (strategy.defaultsOfPrepared) strategy.defaults?.(object);
    return request.dryRun ? this.#tried(ctx, object) : { kind: "entry", entry: await this.#insert(ctx, request, object, managed) };
  }

  /** What a dry run answers: nothing is stored, but a name that exists is reported. */
  async #tried(ctx: RequestContext, object: KubeObject): Promise<Outcome> {
    const meta = metaOf(object);
    const { entry } = await this.#services.store.get(keyOf(ctx.resource, ctx.info.namespace, meta.name ?? ""));
    if (entry !== undefined) throw existing(ctx.resource, meta.name ?? "", this.#isDeleting(entry));
    delete meta.resourceVersion;
    return { kind: "object", object: await throughStorage(object, ctx.resource) };
  }

  async #insert(ctx: RequestContext, request: AdmissionRequest, object: KubeObject, managed: ManagedFields): Promise<Entry> {
    const { resource, info } = ctx;
    const { name = "", resourceVersion = "" } = metaOf(object);
    if (/^0*[1-9]\d*$/.test(resourceVersion)) throw unexplained("resourceVersion should not be set on objects to be created");
    const withDefinition = (found: readonly Compare[]): readonly Compare[] => {
      const definition = checkDefinition(resource, name);
      return definition === undefined ? found : [...found, definition];
    };
    let known = request.compares;
    const compares = (): readonly Compare[] | Promise<readonly Compare[]> => {
      const first = known;
      known = undefined;
      return first === undefined ? this.#services.admission.comparesOf(request).then(withDefinition) : withDefinition(first);
    };
    const written = await this.#services.writer.put(ctx, {
      key: keyOf(resource, info.namespace, name),
      object,
      managed,
      expect: "absent",
      compares,
      also: this.#services.admission.chargesOf(request),
    });
    if ("entry" in written) return written.entry;
    throw existing(ctx.resource, name, written.actual !== undefined && this.#isDeleting(written.actual));
  }

  #isDeleting(entry: Entry): boolean {
    return this.#services.cache.objectOf(entry).metadata?.deletionTimestamp !== undefined;
  }
}

/** What those that are not of this process may have undone. @throws badRequest() for another namespace */
function settleMutated(ctx: RequestContext, object: KubeObject): void {
  settleNamespace(object, ctx.resource, ctx.info.namespace);
  wipeMeta(metaOf(object));
  const repeated = dropDuplicateOwners(metaOf(object), "admitted");
  if (repeated !== undefined) ctx.warnings.push(repeated);
}

/** New objects of a custom resource are for its CustomResourceDefinition as it is now. @throws forbidden(), unknownPath() */
function checkDefinition({ definition, groupResource, stats }: ServedResource, name: string): Compare | undefined {
  if (definition.custom === undefined) return undefined;
  if (stats.stored === undefined) throw unknownPath();
  if (stats.terminating) throw forbidden(groupResource, name, terminating);
  return { key: stats.stored.key, modified: stats.stored.revision as Revision };
}

/** @throws invalid() with every error of the new object. */
function checkNew(resource: ServedResource, object: KubeObject): void {
  const { definition } = resource;
  const { strategy } = definition;
  const errors: FieldError[] = [
    ...validateObjectMeta(object, { namespaced: definition.namespaced, name: strategy.name, finalizers: strategy.finalizers }),
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateCreate?.(object) ?? []),
  ];
  if (errors.length > 0) throw invalid(resource.storage.definition, object.metadata?.name ?? "", errors);
}

function existing({ groupResource }: ServedResource, name: string, deleting: boolean): StatusError {
  const error = alreadyExists(groupResource, name);
  return deleting ? new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` }) : error;
}

function noUniqueName(resource: ServedResource, name: string): StatusError {
  const { status, message } = alreadyExists(resource.groupResource, name);
  return new StatusError({
    ...status,
    message: `${message}, the server was not able to generate a unique name for the object`,
    details: { ...status.details, retryAfterSeconds: 1 },
  });
}
