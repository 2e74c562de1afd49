/** The write itself: an object's bytes under its key, if nobody was there before. */
import type { KubeObject, ManagedFields } from "@coxswain/machinery";
import type { Compare, Entry, Write, WriteNote, WriteResult } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import { encodeObject } from "./stored-object.ts";
import { longestWaitMs, tookTooLong } from "./until-written.ts";
import { inStorageVersion } from "./versions.ts";

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

export type PutResult = { readonly entry: Entry } | { readonly lost: true; readonly actual: Entry | undefined };

export async function putObject(ctx: RequestContext, { key, object, managed, expect, compares, readAt }: Put): Promise<PutResult> {
  const { server, resource } = ctx;
  const stored = await inStorageVersion(object, resource);
  const value = encodeObject(stored);
  const derived = server.cache.derivedOf(stored, value.byteLength, managed);
  const note = noteOf(ctx, readAt);
  const deadline = server.clock.monotonic() + longestWaitMs;
  let written: WriteResult;
  do {
    if (server.clock.monotonic() > deadline) throw tookTooLong();
    const put: Write = { op: "put", key, value, expect, derived };
    const found = compares?.();
    const compare = found instanceof Promise ? await found : found;
    written = await server.store.write(compare === undefined ? put : { ...put, compare }, note);
  } while (!written.ok && written.failed !== undefined);
  if (!written.ok || written.entry === undefined) return { lost: true, actual: written.ok ? undefined : written.actual };
  noteIfOutdated(ctx, written.entry);
  return { entry: written.entry };
}

/** What was made by a schema that was replaced meanwhile is normalised when it is read. */
function noteIfOutdated({ server, resource }: RequestContext, { modified }: Entry): void {
  const { custom, group, version, resource: name } = resource.definition;
  if (custom === undefined || server.registry.find(group, version, name) === resource.definition) return;
  custom.lineage.settledSince = Math.max(custom.lineage.settledSince, modified + 1);
  server.onOutdated?.(resource.definition, modified + 1);
}

/** History keeps them all. */
const longestAgent = 256;

/** Who writes, kept with the revision: what later explains conflicts. */
export function noteOf(ctx: RequestContext, readAt: string | undefined): WriteNote {
  const userAgent = ctx.request.headers["user-agent"];
  return {
    user: ctx.user.name,
    manager: ctx.query.get("fieldManager") ?? "",
    userAgent: typeof userAgent === "string" ? userAgent.slice(0, longestAgent) : "",
    requestId: ctx.requestId,
    ...(readAt === undefined || readAt === "" ? {} : { readAt }),
  };
}
