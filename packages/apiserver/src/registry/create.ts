/** Creating an object: prepare, validate, admit, and put it where nothing is. */
import { dropDuplicateOwners, validateObjectMeta } from "@coxswain/api";
import { alreadyExists, type FieldError, invalid, type KubeObject, type StatusError, unexplained } from "@coxswain/machinery";
import type { Entry, WriteNote } from "@coxswain/store";
import { type AdmissionRequest, claim, mutate, validate } from "../admission/admission.ts";
import type { RequestContext } from "../context.ts";
import { countsGeneration, generateName, metaOf, prepareNewMeta, settleNamespace } from "./metadata.ts";
import { keyOf, type ServedResource } from "./served-resource.ts";
import { encodeForStorage } from "./stored-object.ts";

/** An object as stored, or, after a dry run or a write that only finished a deletion, as it would be. */
export type Outcome =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "object"; readonly object: Readonly<KubeObject> };

const generateAttempts = 8;

/** `object` was decoded and defaulted for this request; it is changed. */
export async function createObject(ctx: RequestContext, object: KubeObject, dryRun: boolean): Promise<Outcome> {
  const { server, resource, info } = ctx;
  const meta = metaOf(object);
  settleNamespace(object, resource, info.namespace);
  const repeated = dropDuplicateOwners(meta, "sent");
  if (repeated !== undefined) ctx.warnings.push(repeated);
  const admission: AdmissionRequest = {
    server,
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
  };
  await mutate(admission);
  if (meta.resourceVersion !== undefined && meta.resourceVersion !== "")
    throw unexplained("resourceVersion should not be set on objects to be created");
  const generated = (meta.name ?? "") === "" && (meta.generateName ?? "") !== "";
  prepareNewMeta(meta, server.clock.now(), server.random);
  if (generated) meta.name = generateName(meta.generateName ?? "", server.random);
  const { behaviour } = resource.definition;
  if (countsGeneration(resource, behaviour)) meta.generation = 1;
  behaviour.prepareForCreate?.(object, { username: ctx.user.name, uid: ctx.user.uid, groups: ctx.user.groups, extra: ctx.user.extra });
  using _claims = await claim(admission);
  checkNew(resource, object);
  await validate(admission);
  if (behaviour.warnings !== undefined) ctx.warnings.push(...behaviour.warnings(object, undefined));
  if (dryRun) return { kind: "object", object };
  return { kind: "entry", entry: await insert(ctx, object, generated) };
}

/** @throws invalid() with every error of the new object. */
function checkNew(resource: ServedResource, object: KubeObject): void {
  const { definition } = resource;
  const errors: FieldError[] = [
    ...validateObjectMeta(object, { namespaced: definition.namespaced, name: definition.behaviour.name }),
    ...(definition.behaviour.validate?.(object) ?? []),
    ...(definition.behaviour.validateCreate?.(object) ?? []),
  ];
  if (errors.length > 0) throw invalid(definition, object.metadata?.name ?? "", errors);
}

async function insert(ctx: RequestContext, object: KubeObject, generated: boolean): Promise<Entry> {
  const { server, resource, info } = ctx;
  const meta = metaOf(object);
  for (let attempt = 1; ; attempt++) {
    const encoded = encodeForStorage(object, resource);
    const key = keyOf(resource, info.namespace, meta.name ?? "");
    const written = await server.store.write(
      { op: "put", key, value: encoded.value, expect: "absent", derived: server.cache.derivedOf(encoded.object, encoded.value.byteLength) },
      noteOf(ctx, undefined),
    );
    if (written.ok && written.entry !== undefined) return written.entry;
    if (!generated) throw existing(ctx, meta.name ?? "", !written.ok && written.actual !== undefined && isDeleting(ctx, written.actual));
    if (attempt === generateAttempts) throw noUniqueName(resource, meta.name ?? "");
    meta.name = generateName(meta.generateName ?? "", server.random);
  }
}

const isDeleting = (ctx: RequestContext, entry: Entry): boolean =>
  ctx.server.cache.objectOf(entry).metadata?.deletionTimestamp !== undefined;

function existing(ctx: RequestContext, name: string, deleting: boolean): StatusError {
  const error = alreadyExists(ctx.resource.groupResource, name);
  return deleting ? retold(error, `object is being deleted: ${error.message}`) : error;
}

function noUniqueName(resource: ServedResource, name: string): StatusError {
  const error = alreadyExists(resource.groupResource, name);
  return retold(error, `${error.message}, the server was not able to generate a unique name for the object`);
}

function retold(error: StatusError, message: string): StatusError {
  return new (error.constructor as typeof StatusError)({ ...error.status, message });
}

/** Who writes, kept with the revision: what later explains conflicts. */
export function noteOf(ctx: RequestContext, readAt: string | undefined): WriteNote {
  const userAgent = ctx.request.headers["user-agent"];
  return {
    user: ctx.user.name,
    manager: ctx.query.get("fieldManager") ?? "",
    userAgent: typeof userAgent === "string" ? userAgent : "",
    requestId: ctx.requestId,
    ...(readAt === undefined || readAt === "" ? {} : { readAt }),
  };
}
