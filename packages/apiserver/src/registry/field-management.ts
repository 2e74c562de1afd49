/**
 * Who manages which fields, on every write.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import type { Strategy } from "@coxswain/api";
import {
  type ApplyBy,
  encodeManagedFields,
  excluding,
  type FieldFilter,
  including,
  keepTimes,
  type ManagedFields,
  managerOfAgent,
  type OtherVersion,
  unmanaged,
  updateManagedFields,
  type WriteBy,
} from "@coxswain/apply";
import { deepEqual, type KubeObject, parseApiVersion, zeroOf } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { type Convert, convertByRules, withConversions } from "../storage/replay.ts";
import { wholeSeconds } from "./metadata.ts";

/** The fieldManager parameter, else the first part of the user agent. */
export function managerOf(ctx: RequestContext): string {
  const given = ctx.query.get("fieldManager") ?? "";
  if (given !== "") return given;
  const agent = ctx.request.headers["user-agent"];
  return typeof agent === "string" ? managerOfAgent(agent) : "";
}

export function writeBy(ctx: RequestContext, convert: Convert = convertByRules): WriteBy {
  const { resource, info, server } = ctx;
  const filter = filterOf(resource, info.subresource);
  return {
    type: resource.type,
    apiVersion: resource.apiVersion,
    other: (apiVersion) => otherVersion(ctx, apiVersion, convert),
    manager: managerOf(ctx),
    subresource: info.subresource,
    now: wholeSeconds(server.clock.now()),
    ...(filter === undefined ? {} : { filter }),
  };
}

function otherVersion({ server, resource }: RequestContext, apiVersion: string, convert: Convert): OtherVersion | undefined {
  const at = parseApiVersion(apiVersion);
  // Nothing is kept of who writes through another group: an Event has two.
  const found =
    at?.group !== resource.definition.group ? undefined : server.served.find(at.group, at.version, resource.definition.resource);
  if (found === undefined) return undefined;
  return {
    type: found.type,
    to: (object) => convert(object, resource, found),
    from: (object) => convert(object, found, resource),
  };
}

const onlyStatus = including(["status"]);
/** By kind and part of it: worked out once. */
const filters = new WeakMap<Strategy, Map<string, FieldFilter>>();

/** What a write may not change it does not come to manage either. */
export function filterOf({ definition }: ServedResource, subresource: string): FieldFilter | undefined {
  if (subresource === "status" && definition.custom !== undefined) return onlyStatus;
  if (subresource !== "" && subresource !== "status" && subresource !== "approval") return undefined;
  const { strategy, hasStatus } = definition;
  const known = filters.get(strategy) ?? new Map<string, FieldFilter>();
  filters.set(strategy, known);
  const part = subresource === "" ? "main" : subresource;
  let filter = known.get(part);
  if (filter === undefined) {
    const whole = { main: hasStatus && strategy.keepsStatus !== false ? [["status"]] : [], status: [["spec"]], approval: [] };
    filter = excluding(...whole[part], ...(strategy.resetFields?.[part] ?? []));
    known.set(part, filter);
  }
  return filter;
}

/** Of a new object, as its client sent it, with defaults. */
export const managedAfterCreate = (ctx: RequestContext, object: Readonly<KubeObject>): Promise<ManagedFields> =>
  withConversions(ctx.resource, (convert) =>
    updateManagedFields(zeroOf(ctx.resource.type) as KubeObject, object, unmanaged, writeBy(ctx, convert)),
  );

/** Of a changed object. Managed fields that come back as they were read are no wish to change them. */
export async function managedAfterUpdate(
  ctx: RequestContext,
  current: Readonly<KubeObject>,
  next: KubeObject,
  managed: ManagedFields,
): Promise<ManagedFields> {
  const sent = next.metadata?.managedFields;
  if (next.metadata !== undefined && sent !== undefined && deepEqual(sent, current.metadata?.managedFields))
    delete next.metadata.managedFields;
  return withConversions(ctx.resource, (convert) => updateManagedFields(current, next, managed, writeBy(ctx, convert)));
}

/**
 * Times alone are no change: an apply that takes defaults away, which then come back, leaves all as it was. `next` is what
 * mutating admission made of the wish.
 */
export function settleTimes(
  { before, after }: { readonly before: ManagedFields; readonly after: ManagedFields },
  next: Readonly<KubeObject>,
  current: Readonly<KubeObject>,
): ManagedFields {
  const kept = keepTimes(before, after);
  return kept !== after && deepEqual(bare(next), bare(current)) ? kept : after;
}

const bare = (object: Readonly<KubeObject>) => ({ ...object, metadata: { ...object.metadata, managedFields: undefined } });

/** For applying to an object of the request's resource. */
export const applyBy = (ctx: RequestContext, force: boolean, convert?: Convert): ApplyBy => ({
  ...writeBy(ctx, convert),
  force,
  empty: zeroOf(ctx.resource.type) as KubeObject,
});

/** Writes managed fields into an object's metadata. */
export function noteManaged(object: KubeObject, managed: ManagedFields): void {
  if (object.metadata === undefined) return;
  if (managed.managers.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = encodeManagedFields(managed);
}
