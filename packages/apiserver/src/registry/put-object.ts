/** The write itself: an object's bytes under its key, if nobody was there before. */
import type { ManagedFields } from "@coxswain/apply";
import type { KubeObject } from "@coxswain/machinery";
import type { Compare, Entry, Revision, Write, WriteNote, WriteResult } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { withSortedKeys } from "../storage/sorted-keys.ts";
import { encodeCustom, encodeObject } from "../storage/stored-object.ts";
import { inStorageVersion } from "../storage/versions.ts";
import { maxWaitMs, requestTimedOut } from "./guaranteed-update.ts";

export interface Put {
  readonly key: string;
  readonly object: KubeObject;
  /** Who manages its fields, as far as the writer knows. */
  readonly managed?: ManagedFields;
  readonly expect: Extract<Write, { op: "put" }>["expect"];
  /** What the object relies on; asked again when that has changed. Throws when it must not be stored any more. */
  readonly compares?: () => readonly Compare[] | Promise<readonly Compare[]>;
  /** The resourceVersion that the writer had read. */
  readonly readAt?: string | undefined;
}

export type PutResult = { readonly entry: Entry } | { readonly conflict: true; readonly actual: Entry | undefined };

export async function putObject(ctx: RequestContext, { key, object, managed, expect, compares, readAt }: Put): Promise<PutResult> {
  const { server, resource } = ctx;
  const converted = await inStorageVersion(object, resource);
  const custom = resource.definition.custom !== undefined;
  const stored = custom ? withSortedKeys(converted) : converted;
  const value = custom ? encodeCustom(stored) : encodeObject(stored);
  const derived = server.cache.derivedOf(stored, value.byteLength, managed);
  const note = noteOf(ctx, readAt);
  const deadline = server.clock.monotonic() + maxWaitMs;
  let written: WriteResult;
  do {
    if (server.clock.monotonic() > deadline) throw requestTimedOut();
    const put: Write = { op: "put", key, value, expect, derived };
    const found = compares?.();
    const relied = found instanceof Promise ? await found : found;
    const compare = resource.definition.custom === undefined ? relied : [...(relied ?? []), ...servedDefinition(ctx)];
    using _outdated = isServed(ctx) ? undefined : outdatedWrite(resource);
    written = await server.store.write(compare === undefined ? put : { ...put, compare }, note);
    if (written.ok && written.entry !== undefined) noteIfOutdated(ctx, written.entry);
  } while (!written.ok && written.failed !== undefined);
  if (!written.ok || written.entry === undefined) return { conflict: true, actual: written.ok ? undefined : written.actual };
  return { entry: written.entry };
}

/** Whether the object was made by the schema that is in force. */
const isServed = ({ server, resource: { definition } }: RequestContext): boolean =>
  definition.custom === undefined || server.registry.find(definition.group, definition.version, definition.resource) === definition;

/** The schema is in force when the object is stored, too. */
function servedDefinition(ctx: RequestContext): readonly Compare[] {
  const { stored } = ctx.resource.stats;
  return stored === undefined || !isServed(ctx) ? [] : [{ key: stored.key, modified: stored.revision as Revision }];
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

/** What was made by a schema that was replaced meanwhile is normalised when it is read. */
function noteIfOutdated(ctx: RequestContext, { modified }: Entry): void {
  const { server, resource } = ctx;
  const { custom } = resource.definition;
  if (custom === undefined || isServed(ctx)) return;
  custom.stats.settledSince = Math.max(custom.stats.settledSince, modified + 1);
  server.onOutdated?.(resource.definition, modified + 1);
}

/** History keeps them all. */
const maxUserAgentLength = 256;

/** Who writes, kept with the revision: what later explains conflicts. */
export function noteOf(ctx: RequestContext, readAt: string | undefined): WriteNote {
  const userAgent = ctx.request.headers["user-agent"];
  return {
    user: ctx.user.name,
    manager: ctx.query.get("fieldManager") ?? "",
    userAgent: typeof userAgent === "string" ? userAgent.slice(0, maxUserAgentLength) : "",
    requestId: ctx.requestId,
    ...(readAt === undefined || readAt === "" ? {} : { readAt }),
  };
}
