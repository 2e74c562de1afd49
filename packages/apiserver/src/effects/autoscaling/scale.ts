/** `/scale`: the replicas of whatever has some, read and written through one small object. */

import { applyScale, type Scale, scaleKind, scaleReplicasPath, toCustomScale, toScale, validateScale } from "@coxswain/api";
import {
  applyObject,
  type ManagedFields,
  parentManagedFields,
  type ReplicasPaths,
  scaleManagedFields,
  updateManagedFields,
} from "@coxswain/apply";
import {
  apiVersionOf,
  badRequest,
  conflict,
  invalid,
  type KubeObject,
  methodNotAllowed,
  modifiedMessage,
  notFound,
} from "@coxswain/machinery";
import { auditPatch, auditRequestObject } from "../../audit/request-object.ts";
import type { Reply } from "../../contracts/http.ts";
import type { RequestContext } from "../../contracts/request-context.ts";
import type { ServedResource } from "../../contracts/served-resource.ts";
import { parseApplied, settled } from "../../handlers/apply.ts";
import type { SubresourceEffect } from "../../handlers/effect.ts";
import { patchKindOf } from "../../handlers/patch-kind.ts";
import { createPatcher } from "../../handlers/patcher.ts";
import { noteManaged } from "../../registry/field-management.ts";
import { checkName, preconditionConflict, settleNamespace } from "../../registry/metadata.ts";
import { type IntendedChange, staleWrite } from "../../registry/stale-write.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { cloneJson } from "../../storage/clone-json.ts";
import { keyOf, servedSubresource } from "../../storage/served-resource.ts";
import { entryAt } from "../../storage/versions.ts";
import type { EffectServices } from "../services.ts";

type ScaleServices = Pick<EffectServices, "reader" | "registry" | "rest">;

/** The type of the Scale itself, which is stored nowhere. */
const scaleResource: ServedResource = servedSubresource({
  group: "autoscaling",
  version: "v1",
  resource: "scales",
  kind: "Scale",
  strategy: scaleKind,
  notIn: ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"],
});

export const scale: SubresourceEffect<ScaleServices> = {
  on: "*/scale",
  answers: "object",
  create: (services) => (ctx) => {
    switch (ctx.info.verb) {
      case "get":
        return getScale(services, ctx);
      case "update":
        return updateScale(services, ctx);
      case "patch":
        return patchScale(services, ctx);
      default:
        throw methodNotAllowed();
    }
  },
};

async function updateScale(services: ScaleServices, ctx: RequestContext): Promise<Reply> {
  const options = parseWriteOptions(ctx.query, "UpdateOptions");
  const sent = await services.rest.decoder.decode(ctx, scaleResource, options.fieldValidation);
  auditRequestObject(ctx.audit, sent);
  // Before it is known whether there is anything to scale.
  checkName(sent, ctx.info.name);
  const wanted = (): Scale => cloneJson(sent) as Scale;
  return write(services, ctx, options.dryRun, updated(services, ctx, wanted));
}

async function patchScale(services: ScaleServices, ctx: RequestContext): Promise<Reply> {
  const kind = patchKindOf(ctx);
  auditPatch(ctx.audit, ctx.body);
  if (kind === "apply") return applyToScale(services, ctx);
  const options = parseWriteOptions(ctx.query, "PatchOptions");
  const patcher = createPatcher(ctx, { kind, options, resource: scaleResource, served: services.reader.served });
  const wanted = (current: Scale): Scale => patcher(current as KubeObject) as Scale;
  return write(services, ctx, options.dryRun, updated(services, ctx, wanted));
}

async function applyToScale(services: ScaleServices, ctx: RequestContext): Promise<Reply> {
  const options = parseWriteOptions(ctx.query, "PatchOptions", true);
  const { object: applied, settle } = await parseApplied(onScale(ctx), options);
  const { fields } = services.registry;
  return write(services, ctx, options.dryRun, async (current, before) => {
    const { object, managed } = applyObject(current as KubeObject, applied, before, fields.applyBy(onScale(ctx), options.force));
    settle();
    return { scale: settled(onScale(ctx), object) as Scale, managed };
  });
}

async function getScale({ reader: { store, cache }, rest }: ScaleServices, ctx: RequestContext): Promise<Reply> {
  const { resource, info } = ctx;
  const { entry } = await store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.groupResource, info.name);
  const found = scaleOf(resource, cache.objectAt(await entryAt(cache, entry, resource), resource));
  return rest.responses.object(ctx, 200, found as KubeObject, scaleResource);
}

/** The wanted Scale, and who manages its fields, from the current one. */
type Wanted = (current: Scale, managed: ManagedFields) => Promise<{ readonly scale: Scale; readonly managed: ManagedFields }>;

async function write({ registry, rest }: ScaleServices, ctx: RequestContext, dryRun: boolean, wanted: Wanted): Promise<Reply> {
  const { resource, info } = ctx;
  const replicas = replicasPaths(resource);
  let managed: ManagedFields | undefined;
  let sent: { readonly object: KubeObject; readonly previous: KubeObject } | undefined;
  const outcome = await registry.update(ctx, info.name, {
    part: "main",
    dryRun,
    admitted: {
      sent: () => sent ?? { object: {}, previous: {} },
      of: (parent) => scaleOf(resource, parent, 0) as KubeObject,
      merged: (parent, part) => cloneJson(scaled(resource, parent, part as Scale)),
    },
    managed: (before) => (managed === undefined ? before : parentManagedFields(before, managed, replicas, resource.apiVersion)),
    next: async (parent, before) => {
      const current = scaleOf(resource, parent, neverSet);
      const managedBefore = scaleManagedFields(before, replicas);
      const next = await wanted(current, managedBefore);
      check(ctx, parent, next.scale);
      managed = next.managed;
      sent = { object: withManaged(next.scale, next.managed), previous: withManaged(current, managedBefore) };
      return cloneJson(scaled(resource, parent, next.scale));
    },
  });
  const parent = await rest.responses.objectOf(ctx, outcome);
  return rest.responses.object(ctx, 200, scaleOf(resource, parent) as KubeObject, scaleResource);
}

/** Of the caller's own. */
function withManaged(scale: Scale, managed: ManagedFields): KubeObject {
  const copy = cloneJson(scale as KubeObject);
  noteManaged(copy, managed);
  return copy;
}

/** For custom resources that have no replicas yet: a write has to say how many, and this is no number of them. */
const neverSet = -0x80000000;

function scaleOf({ definition }: ServedResource, parent: Readonly<KubeObject>, whenAbsent?: number): Scale {
  const paths = definition.custom?.scale;
  return paths === undefined ? toScale(parent, definition.resource) : toCustomScale(parent, paths, whenAbsent);
}

/** Custom resources have no unconditional writes: a Scale that names no version is meant for the current one. */
function scaled({ definition }: ServedResource, parent: Readonly<KubeObject>, next: Scale): KubeObject {
  const path = definition.custom?.scale?.specReplicas;
  if (path === undefined) return applyScale(parent, next);
  if (next.spec?.replicas === neverSet) throw badRequest(`the spec replicas field ".${path.join(".")}" cannot be empty`);
  const resourceVersion = next.metadata?.resourceVersion || parent.metadata?.resourceVersion;
  return applyScale(
    parent,
    { ...next, metadata: { ...next.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } },
    path,
  );
}

/** Where each version of the resource has its replicas. */
function replicasPaths({ apiVersion, definition: { custom } }: ServedResource): ReplicasPaths {
  if (custom === undefined) return new Map([[apiVersion, scaleReplicasPath]]);
  const scalable = [...custom.versions.values()].filter((other) => other.custom?.scale !== undefined);
  return new Map(scalable.map((other) => [apiVersionOf(other), other.custom?.scale?.specReplicas ?? scaleReplicasPath]));
}

/** For writes that are no apply: their writer manages what it changed. */
const updated =
  (services: ScaleServices, ctx: RequestContext, wanted: (current: Scale) => Scale | Promise<Scale>): Wanted =>
  async (current, before) => {
    const scale = await wanted(current);
    return {
      scale,
      managed: updateManagedFields(current as KubeObject, scale as KubeObject, before, services.registry.fields.writeBy(onScale(ctx))),
    };
  };

const onScale = (ctx: RequestContext): RequestContext => ({ ...ctx, resource: scaleResource });

/** A Scale's uid and resourceVersion are its parent's. What is invalid in itself is reported before what is out of date. */
function check(ctx: RequestContext, parent: Readonly<KubeObject>, next: Scale): void {
  const { resource, info } = ctx;
  const { uid, resourceVersion } = next.metadata ?? {};
  settleNamespace(next as KubeObject, resource, info.namespace);
  const parentUid = parent.metadata?.uid ?? "";
  const otherUid = uid !== undefined && uid !== "" && uid !== parentUid;
  const found = { resource, found: parent };
  if (otherUid && info.verb !== "patch") {
    const key = keyOf(resource, info.namespace, info.name);
    throw staleWrite(preconditionConflict(resource, key, info.name, { what: "UID", asked: uid, actual: parentUid }), {
      ...found,
      names: "uid",
    });
  }
  // The replicas of a custom resource are checked with the rest of it.
  const errors = resource.definition.custom === undefined ? [...validateScale(next)] : [];
  if (errors.length > 0) throw invalid({ group: "autoscaling", kind: "Scale" }, info.name, errors);
  if (otherUid) {
    const { group, resource: plural } = resource.groupResource;
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${parentUid}`;
    throw staleWrite(conflict({ group, resource: `${plural}/scale` }, info.name, why), { ...found, names: "uid" });
  }
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== parent.metadata?.resourceVersion) {
    const intent: IntendedChange = { compare: (read) => [read, scaled(resource, read, next)] };
    const error = conflict(resource.groupResource, info.name, modifiedMessage);
    throw staleWrite(error, { ...found, names: "version", readAt: resourceVersion, intended: intent });
  }
}
