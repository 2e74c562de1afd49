/** Creating an object: prepare, validate, admit, and put it where nothing is. */
import { dropDuplicateOwners, validateObjectMeta } from "@coxswain/api";
import type { ManagedFields } from "@coxswain/apply";
import {
  alreadyExists,
  type FieldError,
  forbidden,
  invalid,
  isAlreadyExists,
  type KubeObject,
  StatusError,
  unexplained,
  unknownPath,
} from "@coxswain/machinery";
import type { Compare, Entry, Revision } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { AdmissionRequest } from "../contracts/admission.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { cloneJson } from "../storage/clone-json.ts";
import { keyOf } from "../storage/served-resource.ts";
import { throughStorage } from "../storage/versions.ts";
import { managedAfterCreate, noteManaged } from "./field-management.ts";
import { countsGeneration, generateName, metaOf, prepareNewMeta, settleNamespace, wipeMeta } from "./metadata.ts";
import { putObject } from "./put-object.ts";

/** An object as stored, or, after a dry run or a write that only finished a deletion, as it would be. */
export type Outcome =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "object"; readonly object: Readonly<KubeObject> };

const generateAttempts = 8;
const terminating = "create not allowed while custom resource definition is terminating";

/** `object` was decoded and defaulted for this request; it is changed. `applied` says who manages it when it comes from an apply. */
export async function createObject(ctx: RequestContext, object: KubeObject, dryRun: boolean, applied?: ManagedFields): Promise<Outcome> {
  const { server, resource, info } = ctx;
  const meta = metaOf(object);
  checkDefinition(resource, meta.name ?? "");
  settleNamespace(object, resource, info.namespace);
  wipeMeta(meta);
  const repeated = dropDuplicateOwners(meta, "sent");
  if (repeated !== undefined) ctx.warnings.push(repeated);
  await server.eventLoop.yieldFor(ctx.body.byteLength);
  // What admission and the kind add from here on is nobody's.
  const managed = applied ?? (await managedAfterCreate(ctx, object));
  const admission: AdmissionRequest = {
    operation: "create",
    resource,
    subresource: "",
    namespace: info.namespace,
    name: meta.name ?? "",
    user: ctx.user,
    dryRun,
    object,
    previous: undefined,
    warnings: ctx.warnings,
    compares: [],
  };
  await server.admission.mutate(admission);
  const generated = (meta.name ?? "") === "" && (meta.generateName ?? "") !== "";
  return generated ? placeGenerated(ctx, admission, object, managed) : place(ctx, admission, object, managed);
}

/** Labels, selectors and more follow from the name, so each name that is tried begins with what the client sent. */
async function placeGenerated(
  ctx: RequestContext,
  admission: AdmissionRequest,
  sent: KubeObject,
  managed: ManagedFields,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const object = cloneJson(sent);
    const name = generateName(sent.metadata?.generateName ?? "", ctx.server.random);
    metaOf(object).name = name;
    try {
      return await place(ctx, { ...admission, object }, object, managed);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (attempt === generateAttempts) throw noUniqueName(ctx.resource, name);
    }
  }
}

async function place(ctx: RequestContext, admission: AdmissionRequest, object: KubeObject, managed: ManagedFields): Promise<Outcome> {
  const { server, resource, user } = ctx;
  const meta = metaOf(object);
  prepareNewMeta(meta, server.clock.now(), server.random);
  const { strategy } = resource.definition;
  if (countsGeneration(resource, strategy)) meta.generation = 1;
  const by = { username: user.name, uid: user.uid, groups: user.groups, extra: user.extra };
  strategy.prepareForCreate?.(object, by, (text) => ctx.warnings.push(text));
  noteManaged(object, managed);
  using _reserved = await server.admission.reserve(admission);
  await server.eventLoop.yieldFor(ctx.body.byteLength);
  checkNew(resource, object);
  strategy.canonicalize?.(object);
  await server.eventLoop.yieldFor(ctx.body.byteLength);
  await server.admission.validate(admission);
  if (strategy.defaultsOfPrepared) strategy.defaults?.(object);
  if (strategy.warnings !== undefined) ctx.warnings.push(...strategy.warnings(object, undefined));
  return admission.dryRun ? tried(ctx, object) : { kind: "entry", entry: await insert(ctx, admission, object, managed) };
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

/** What a dry run answers: nothing is stored, but a name that is taken is told. */
async function tried(ctx: RequestContext, object: KubeObject): Promise<Outcome> {
  const meta = metaOf(object);
  const { entry } = await ctx.server.store.get(keyOf(ctx.resource, ctx.info.namespace, meta.name ?? ""));
  if (entry !== undefined) throw existing(ctx, meta.name ?? "", isDeleting(ctx, entry));
  delete meta.resourceVersion;
  return { kind: "object", object: await throughStorage(object, ctx.resource) };
}

async function insert(ctx: RequestContext, admission: AdmissionRequest, object: KubeObject, managed: ManagedFields): Promise<Entry> {
  const { resource, info } = ctx;
  const { name = "", resourceVersion = "" } = metaOf(object);
  if (/^0*[1-9]\d*$/.test(resourceVersion)) throw unexplained("resourceVersion should not be set on objects to be created");
  const withDefinition = (found: readonly Compare[]): readonly Compare[] => {
    const definition = checkDefinition(resource, name);
    return definition === undefined ? found : [...found, definition];
  };
  let known = admission.compares;
  const compares = (): readonly Compare[] | Promise<readonly Compare[]> => {
    const first = known;
    known = undefined;
    return first === undefined ? ctx.server.admission.comparesOf(admission).then(withDefinition) : withDefinition(first);
  };
  const written = await putObject(ctx, { key: keyOf(resource, info.namespace, name), object, managed, expect: "absent", compares });
  if ("entry" in written) return written.entry;
  throw existing(ctx, name, written.actual !== undefined && isDeleting(ctx, written.actual));
}

const isDeleting = (ctx: RequestContext, entry: Entry): boolean =>
  ctx.server.cache.objectOf(entry).metadata?.deletionTimestamp !== undefined;

function existing(ctx: RequestContext, name: string, deleting: boolean): StatusError {
  const error = alreadyExists(ctx.resource.groupResource, name);
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
