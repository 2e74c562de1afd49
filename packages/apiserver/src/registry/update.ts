/**
 * Changing an object: optimistic concurrency as Kubernetes has it. A write that names a resourceVersion is refused with
 * 409 when the object has moved on; one that names none is made again on what is there now.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
import { dropDuplicateOwners, metaPassesOf, validateObjectMetaUpdate, validateReplacement } from "@coxswain/api";
import type { ManagedFields } from "@coxswain/apply";
import {
  conflict,
  deepEqual,
  type FieldError,
  field,
  goQuote,
  invalid,
  isAlreadyExists,
  type KubeObject,
  modifiedMessage,
  notFound,
  type ObjectMeta,
  unexplained,
} from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { AdmissionRequest } from "../contracts/admission.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { keyOf } from "../storage/served-resource.ts";
import { entryAt, isConverted, isInVersion, throughStorage } from "../storage/versions.ts";
import type { Outcome } from "./create.ts";
import { managedAfterUpdate, noteManaged, settleTimes } from "./field-management.ts";
import { guaranteedUpdate } from "./guaranteed-update.ts";
import { intendedChange } from "./intended-change.ts";
import { countsGeneration, dropUnkept, metaOf, settleNamespace, uidConflict, wholeSeconds } from "./metadata.ts";
import { noteOf, putObject } from "./put-object.ts";
import { staleWrite } from "./stale-write.ts";

export interface Change {
  /**
   * Makes the wanted object from the current one. Called again when another writer came between, so it must start afresh;
   * the result is changed in place, the argument never.
   */
  readonly next: (current: Readonly<KubeObject>, managed: ManagedFields) => KubeObject | Promise<KubeObject>;
  /** Who manages the fields of what `next` made last; without it, its writer what it changed. */
  readonly managed?: (before: ManagedFields) => ManagedFields;
  /**
   * `main` and `status` follow the kind's strategy; `limited` is a part of the main resource that its caller has kept within
   * its limits; `free` writes what `next` made, for subresources with rules of their own.
   */
  readonly part: "main" | "status" | "limited" | "free";
  /** The rules of a `limited` part. */
  readonly validate?: (next: Readonly<KubeObject>, current: Readonly<KubeObject>) => readonly FieldError[];
  readonly dryRun: boolean;
  /** What to do when the object is absent; without it, 404. */
  readonly whenAbsent?: () => Promise<Outcome>;
}

export function updateObject(ctx: RequestContext, name: string, change: Change): Promise<Outcome> {
  const { server, resource, info } = ctx;
  const key = keyOf(resource, info.namespace, name);
  const attemptOn = async (entry: Entry | undefined): Promise<Outcome | "conflict"> => {
    if (entry !== undefined) return attempt(ctx, name, key, entry, change);
    if (change.whenAbsent === undefined) throw notFound(resource.groupResource, name);
    try {
      return await change.whenAbsent();
    } catch (error) {
      // Somebody else has made it meanwhile: then that is what is changed. Admission may say the same of an object that is not there.
      if (isAlreadyExists(error) && (await server.store.get(key)).entry !== undefined) return "conflict";
      throw error;
    }
  };
  return guaranteedUpdate<Outcome>(server, key, attemptOn, { inLine: !isConverted(resource) });
}

/** One try on the entry that was read; "conflict" when another writer was faster. */
async function attempt(ctx: RequestContext, name: string, key: string, entry: Entry, change: Change): Promise<Outcome | "conflict"> {
  const { server, resource, info } = ctx;
  if (entry.value.byteLength > ctx.maxBytes) throw new OffloadRequired();
  const seen = await entryAt(server.cache, entry, resource);
  const current = server.cache.objectAt(seen, resource);
  const before = server.cache.managedOf(entry);
  const bytes = Math.max(ctx.body.byteLength, entry.value.byteLength);
  await server.eventLoop.yieldFor(bytes);
  const next = await change.next(current, before);
  await server.eventLoop.yieldFor(bytes);
  settleNamespace(next, resource, info.namespace);
  checkVersion(ctx, { key, name, next, current, entry, change });
  const repeated = dropDuplicateOwners(metaOf(next), ctx.info.verb === "patch" ? "admitted" : "sent");
  if (repeated !== undefined) ctx.warnings.push(repeated);
  const readAt = next.metadata?.resourceVersion;
  restoreMeta(metaOf(next), current.metadata ?? {}, entry);
  const after = change.managed === undefined ? await managedAfterUpdate(ctx, current, next, before) : change.managed(before);
  const admission: AdmissionRequest = {
    operation: "update",
    resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name,
    user: ctx.user,
    dryRun: change.dryRun,
    object: next,
    previous: current,
    warnings: ctx.warnings,
  };
  await server.admission.mutate(admission);
  const managed = settleTimes({ before, after }, next, current);
  applyStrategy(resource, next, current, change.part, server.clock.now());
  noteManaged(next, managed);
  using _reserved = await server.admission.reserve(admission);
  await server.eventLoop.yieldFor(bytes);
  checkChange(ctx, name, next, current, change);
  await server.eventLoop.yieldFor(bytes);
  await server.admission.validate(admission);
  const { strategy } = resource.definition;
  if (change.part === "main" && strategy.warnings !== undefined) ctx.warnings.push(...strategy.warnings(next, current));
  // What is stored in another version than it would be now is written anew: that is how clients move it.
  if (deepEqual(next, current) && isInVersion(server.cache, entry, resource.storage)) return { kind: "entry", entry: seen };
  if (change.dryRun) return { kind: "object", object: await throughStorage(next, resource) };
  if (finishesDeletion(next, resource)) return finishDeletion(ctx, { key, entry, next, readAt });
  const written = await putObject(ctx, { key, object: next, managed, expect: entry.modified, readAt });
  return "entry" in written ? { kind: "entry", entry: written.entry } : "conflict";
}

interface Try {
  readonly key: string;
  readonly name: string;
  readonly next: KubeObject;
  readonly current: Readonly<KubeObject>;
  readonly entry: Entry;
  readonly change: Change;
}

/** uid and resourceVersion in a body are preconditions; in a patch, the uid is a field that may not change. */
function checkVersion(ctx: RequestContext, { key, name, next, current, entry, change }: Try): void {
  const { resource, info } = ctx;
  const meta = metaOf(next);
  const uid = current.metadata?.uid ?? "";
  if (info.verb !== "patch" && meta.uid !== undefined && meta.uid !== "" && meta.uid !== uid)
    throw staleWrite(uidConflict(resource, key, name, meta.uid, uid), { names: "uid", resource, found: current });
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

/** What only the server may set stays as it is; where Kubernetes refuses a change instead of undoing it, the rules do. */
function restoreMeta(meta: ObjectMeta, current: Readonly<ObjectMeta>, entry: Entry): void {
  meta.resourceVersion = String(entry.modified);
  if (!meta.uid) restore(meta, "uid", current.uid);
  restore(meta, "creationTimestamp", current.creationTimestamp);
  if (current.deletionTimestamp !== undefined) meta.deletionTimestamp = current.deletionTimestamp;
  if (current.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= current.deletionGracePeriodSeconds;
  restore(meta, "generation", current.generation);
  dropUnkept(meta);
}

function restore<K extends keyof ObjectMeta>(meta: ObjectMeta, key: K, value: ObjectMeta[K] | undefined): void {
  if (value === undefined) {
    if (meta[key] !== undefined) delete meta[key];
  } else meta[key] = value;
}

function applyStrategy(resource: ServedResource, next: KubeObject, current: Readonly<KubeObject>, part: Change["part"], now: number): void {
  const { definition } = resource;
  const { strategy } = definition;
  if (part === "status") {
    keepAllButStatus(next, current);
    if (strategy.resetFields?.status?.some(([first, ...below]) => first === "metadata" && below.length === 0)) keepMetadata(next, current);
    strategy.prepareForStatusUpdate?.(next, current, wholeSeconds(now));
  } else if (part !== "free") {
    if (part === "main" && definition.hasStatus && definition.strategy.keepsStatus !== false) copyField(next, current, "status");
    if (part === "main") strategy.prepareForUpdate?.(next, current, wholeSeconds(now));
    if (countsGeneration(resource, strategy)) {
      const changed = typeof strategy.generation === "function" ? strategy.generation(next, current) : !deepEqual(next.spec, current.spec);
      if (changed) metaOf(next).generation = (current.metadata?.generation ?? 0) + 1;
    }
  }
}

function keepMetadata(next: KubeObject, current: Readonly<KubeObject>): void {
  const { managedFields } = next.metadata ?? {};
  next.metadata = { ...current.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
}

/** A status write may also change metadata, but for what the kind itself restores. */
function keepAllButStatus(next: KubeObject, current: Readonly<KubeObject>): void {
  for (const key of new Set([...Object.keys(next), ...Object.keys(current)])) {
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion") copyField(next, current, key);
  }
}

function copyField(next: KubeObject, current: Readonly<KubeObject>, key: string): void {
  if (current[key] === undefined) delete next[key];
  else next[key] = current[key];
}

/** @throws invalid() with every error of the changed object. */
function checkChange(
  { resource, warnings }: RequestContext,
  name: string,
  next: KubeObject,
  current: Readonly<KubeObject>,
  change: Change,
): void {
  const { definition } = resource;
  const { strategy, namespaced } = definition;
  const { part } = change;
  const warn = (text: string): unknown => warnings.push(text);
  const rules = { namespaced, name: strategy.name, finalizers: strategy.finalizers };
  const errors: FieldError[] = [...validateObjectMetaUpdate(next, current, rules, metaPassesOf(definition, part))];
  if (change.validate !== undefined) errors.push(...change.validate(next, current));
  if (part === "main") {
    errors.push(...validateReplacement(strategy, next, current));
    if (strategy.validateUpdate !== undefined) errors.push(...strategy.validateUpdate(next, current, warn));
  } else if (part === "status" && strategy.validateStatusUpdate !== undefined) {
    errors.push(...strategy.validateStatusUpdate(next, current, warn));
  }
  if (errors.length > 0) throw invalid(resource.storage.definition, name, errors);
}

/** A deleting object whose last finalizer goes, goes with it. */
export function finishesDeletion(object: Readonly<KubeObject>, resource: ServedResource): boolean {
  const meta = object.metadata;
  if (meta?.deletionTimestamp === undefined || (meta.finalizers?.length ?? 0) > 0 || (meta.deletionGracePeriodSeconds ?? 0) !== 0)
    return false;
  return resource.definition.strategy.mayBeRemoved?.(object) ?? true;
}

async function finishDeletion(
  ctx: RequestContext,
  { key, entry, next, readAt }: { key: string; entry: Entry; next: KubeObject; readAt: string | undefined },
): Promise<Outcome | "conflict"> {
  const written = await ctx.server.store.write({ op: "delete", key, expect: entry.modified }, noteOf(ctx, readAt));
  return written.ok ? { kind: "object", object: next } : "conflict";
}
