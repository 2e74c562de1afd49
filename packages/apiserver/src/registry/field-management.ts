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
import { type Clock, deepEqual, getOwn, type KubeObject, parseApiVersion, zeroOf } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import { withEmptied } from "../negotiation/emptied-fields.ts";
import { type Convert, convertByRules, withConversions } from "../storage/replay.ts";
import { wholeSeconds } from "./metadata.ts";

/** The fieldManager parameter, else the first part of the user agent. */
export function managerOf(ctx: RequestContext): string {
  const given = ctx.query.get("fieldManager") ?? "";
  if (given !== "") return given;
  const agent = ctx.request.headers["user-agent"];
  return typeof agent === "string" ? managerOfAgent(agent) : "";
}

export interface FieldManagerOptions {
  readonly served: Pick<ServedResources, "find">;
  readonly clock: Clock;
}

/** Kubernetes' field manager: works out who manages what once a request is done. */
export class FieldManager {
  readonly #options: FieldManagerOptions;

  constructor(options: FieldManagerOptions) {
    this.#options = options;
  }

  /** Of a new object, as its client sent it, with defaults. */
  afterCreate(ctx: RequestContext, object: KubeObject): ManagedFields | Promise<ManagedFields> {
    const empty = zeroOf(ctx.resource.type) as KubeObject;
    return withConversions(ctx.resource, (convert) =>
      updateManagedFields(empty, withEmptied(object), unmanaged, this.writeBy(ctx, convert)),
    );
  }

  /** Of a changed object. Managed fields that come back as they were read are no request to change them. */
  afterUpdate(
    ctx: RequestContext,
    current: Readonly<KubeObject>,
    next: KubeObject,
    managed: ManagedFields,
  ): ManagedFields | Promise<ManagedFields> {
    const sent = next.metadata?.managedFields;
    if (next.metadata !== undefined && sent !== undefined && deepEqual(sent, current.metadata?.managedFields))
      delete next.metadata.managedFields;
    return withConversions(ctx.resource, (convert) => updateManagedFields(current, withEmptied(next), managed, this.writeBy(ctx, convert)));
  }

  writeBy(ctx: RequestContext, convert: Convert = convertByRules): WriteBy {
    const { resource, info } = ctx;
    const filter = filterOf(resource, info.subresource);
    return {
      type: resource.type,
      apiVersion: resource.apiVersion,
      other: (apiVersion) => this.#otherVersion(resource, apiVersion, convert),
      manager: managerOf(ctx),
      subresource: info.subresource,
      now: wholeSeconds(this.#options.clock.now()),
      ...(filter === undefined ? {} : { filter }),
    };
  }

  /** For applying to an object of the request's resource. */
  applyBy(ctx: RequestContext, force: boolean, convert?: Convert): ApplyBy {
    return { ...this.writeBy(ctx, convert), force, empty: zeroOf(ctx.resource.type) as KubeObject };
  }

  #otherVersion(resource: ServedResource, apiVersion: string, convert: Convert): OtherVersion | undefined {
    const at = parseApiVersion(apiVersion);
    // Nothing is kept of who writes through another group: an Event has two.
    const found =
      at?.group !== resource.definition.group ? undefined : this.#options.served.find(at.group, at.version, resource.definition.resource);
    if (found === undefined) return undefined;
    return {
      type: found.type,
      to: (object) => convert(object, resource, found),
      from: (object) => convert(object, found, resource),
    };
  }
}

const onlyStatus = including(["status"]);
/** By kind and part of it: worked out once. */
const filters = new WeakMap<Strategy, Map<string, FieldFilter>>();

/** What a write may not change it does not come to manage either. */
export function filterOf({ definition }: ServedResource, subresource: string): FieldFilter | undefined {
  if (subresource === "status" && definition.custom !== undefined) return onlyStatus;
  const { strategy, hasStatus } = definition;
  const own = subresource === "" ? strategy.resetFields : strategy.subresources?.[subresource]?.resetFields;
  if (own === undefined && subresource !== "" && subresource !== "status") return undefined;
  const known = filters.get(strategy) ?? new Map<string, FieldFilter>();
  filters.set(strategy, known);
  let filter = known.get(subresource);
  if (filter === undefined) {
    const whole = wholeFields(subresource, hasStatus && strategy.keepsStatus !== false);
    filter = excluding(...whole, ...(own ?? []));
    known.set(subresource, filter);
  }
  return filter;
}

function wholeFields(subresource: string, keepsStatus: boolean): readonly (readonly string[])[] {
  if (subresource === "status") return [["spec"]];
  return subresource === "" && keepsStatus ? [["status"]] : [];
}

/**
 * Times alone are no change: an apply that takes defaults away, which then come back, leaves all as it was. `next` is what
 * mutating admission made of the request.
 */
export function settleTimes(
  { before, after }: { readonly before: ManagedFields; readonly after: ManagedFields },
  next: Readonly<KubeObject>,
  current: Readonly<KubeObject>,
): ManagedFields {
  const kept = keepTimes(before, after);
  return kept !== after && isSameBut("metadata", next, current) && isSameBut("managedFields", { ...next.metadata }, { ...current.metadata })
    ? kept
    : after;
}

type Members = Readonly<Record<string, unknown>>;

/** Whether two objects are equal but for one member. What is undefined counts as absent. */
function isSameBut(left: string, one: Members, other: Members): boolean {
  for (const key in one) if (key !== left && !deepEqual(one[key], getOwn(other, key))) return false;
  for (const key in other) if (key !== left && other[key] !== undefined && getOwn(one, key) === undefined) return false;
  return true;
}

/** Writes managed fields into an object's metadata. */
export function noteManaged(object: KubeObject, managed: ManagedFields): void {
  if (object.metadata === undefined) return;
  if (managed.managers.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = encodeManagedFields(managed);
}
